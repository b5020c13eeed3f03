"""Commands that drives carry out themselves, on emulated ones: the C tests of device/emulated run
inside a guest. QEMU's NVMe drives have format and no sanitize, its SATA disks no security feature
set, so that those two are proved by scripted programs alone (tests/device/purge_drive.c).
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigs import places
from rigs.guest import Guest

TESTS = places.BUILD / "test_device_emulated"

# A run that switched the cache off was killed: its note is what is left.
LEFT = """
mkdir -p /tmp/home/assay
nvme set-feature /dev/nvme0 -f 6 -v 0 >/dev/null
cat > /tmp/home/assay/ASSAYRIG0.write-cache <<END
assay-undo 1
kind write-cache
device /dev/nvme0n1
token ASSAYRIG0
value on
boot another
pid 1
pid_start 1
END
export XDG_DATA_HOME=/tmp/home
nvme get-feature /dev/nvme0 -f 6
assay targets --health --format=json
nvme get-feature /dev/nvme0 -f 6
"""


# What only a drive can carry out, as steps: a format, a cache that is off for one step.
PLAN = """
cat > /tmp/drive.plan <<END
[plan]
title=On an emulated drive
[global]
bs=64k
direct=1
[clean]
step=purge
[write]
step=run
rw=write
write_cache=off
needs=clean
[state]
step=snapshot
END
assay plan run /tmp/drive.plan /dev/nvme0n1 --destroy=ASSAYRIG0
echo PLAN-ENDED $?
ls /tmp/home/assay
nvme get-feature /dev/nvme0 -f 6
"""


def test_drives_tell_format_and_switch(rig: Callable[..., Any], need: Any, assay: Path) -> None:
    need(None if TESTS.exists() else "test_device_emulated is not built")
    guest = rig(Guest)
    job = f"test_device_emulated 2>&1 && {{ {LEFT}{PLAN} }} 2>&1"
    said = guest.run(job, [TESTS, assay, "smartctl", "nvme", "hdparm"])
    assert "GUEST-DONE 0" in said, said
    assert "[  PASSED  ] 5 test(s)." in said, said
    assert "SKIPPED" not in said, said
    assert "value:00000000" in said, said
    off, on = said.index("value:00000000"), said.index("value:0x00000001")
    undone = said.index("/dev/nvme0n1: the write cache is on again, as before a run that was cut")
    assert off < undone < on, said
    assert re.search(r'"serial" : "ASSAYRIG0".*?"temperature_mc" : 50000', said.replace("\n", " "))
    plan = said[said.index("On an emulated drive") :]
    assert "PLAN-ENDED 0" in plan, plan
    told = " ".join(plan.split())
    assert "NVMe format, user data erase; not sanitize: the controller offers none" in told, plan
    assert "write cache off" in told, plan
    assert re.search(r"written by the host 8\.\d+ MB", told), plan
    assert ".write-cache" not in plan  # put back, and the note is gone
    assert "value:0x00000001" in plan, plan
