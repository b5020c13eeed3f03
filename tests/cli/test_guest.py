"""Commands that drives carry out themselves, on emulated ones: the C tests of device/emulated run
inside a guest. QEMU's NVMe drives have format and no sanitize, its SATA disks no security feature
set, so that those two are proved by scripted programs alone (tests/device/purge_drive.c).
"""

from collections.abc import Callable
from typing import Any

from rigs import places
from rigs.guest import Guest

TESTS = places.BUILD / "test_device_emulated"


def test_drives_tell_format_and_switch(rig: Callable[..., Any], need: Any) -> None:
    need(None if TESTS.exists() else "test_device_emulated is not built")
    guest = rig(Guest)
    said = guest.run("test_device_emulated 2>&1", [TESTS, "smartctl", "nvme", "hdparm"])
    assert "GUEST-DONE 0" in said, said
    assert "[  PASSED  ] 5 test(s)." in said, said
    assert "SKIPPED" not in said, said
