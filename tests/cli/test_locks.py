"""Runs of the native face share a lock on a device's node: they learn of each other, and of one who
has the device for himself. The fio face takes none.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import Running, run
from rigs.loop import Loop


def reads(device: str, seconds: float) -> list[str]:
    return ["run", "--name=j", "--format=json", "--ioengine=psync", f"--filename={device}",
            "--rw=randread", "--direct=1", "--rate_iops=100", "--time_based",
            f"--runtime={seconds}"]  # fmt: skip


def notes(answer: Any) -> dict[str, str]:
    return {note["id"]: note["text"] for note in answer["notes"]}


@pytest.mark.parametrize("same", [True, False])
def test_two_runs_on_one_device_tell_so_in_both_reports(
    same: bool, rig: Callable[..., Any], assay: Path
) -> None:
    one = rig(Loop, size=4 << 20)
    other = one if same else rig(Loop, size=4 << 20)
    with Running(reads(one.dev, 4)) as running, Running(reads(other.dev, 4)) as second:
        answers = [each.finish(30).check().json() for each in (running, second)]
        pids = [second.pid, running.pid]
    for answer, pid in zip(answers, pids, strict=True):
        assert ("other-run" in notes(answer)) == same
        if same:
            assert f"process {pid}" in notes(answer)["other-run"]


def test_a_device_that_somebody_has_for_himself_is_refused(
    rig: Callable[..., Any], assay: Path
) -> None:
    loop = rig(Loop, size=4 << 20)
    holder = os.open(loop.dev, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        refused = run(reads(loop.dev, 0.1)).check(5)
        assert f"process {os.getpid()}" in refused.err
        assert loop.dev in refused.err
        fio = ["fio", "--name=j", f"--filename={loop.dev}", "--rw=read", "--io_size=64k"]
        run(fio).check(0)
        fcntl.flock(holder, fcntl.LOCK_UN)
        run(reads(loop.dev, 0.1)).check(0)
    finally:
        os.close(holder)
