"""Consent of a plan that goes on: for its own data none, for what somebody else put there meanwhile
again, and for what it was given for not twice."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import ASSAY, run
from rigs.held import wait_until
from rigs.loop import Loop
from rigs.planned import environment, show, wait_for
from rigs.scratch import Scratch

GLOBALS = "[global]\nioengine=psync\ndirect=1\ntime_based\n"
READ = "[read{}]\nstep=run\nrw=randread\nbs=4k\nruntime={}ms\n"
WRITE = "[write]\nstep=run\nrw=write\nbs=64k\nruntime={}ms\n"
FILL = "[fill]\nstep=fill\n"
SIZE = 16 << 20


@pytest.fixture
def place(scratch: Scratch) -> Path:
    return Path(scratch.path)


def go(place: Path, *args: str, rc: int = 0):
    return run(["plan", *args, "--no-report"], cwd=place, env=environment(place),
               timeout=60).check(rc)  # fmt: skip


def start(place: Path, plan: str, *args: str) -> "subprocess.Popen[bytes]":
    (place / "x.plan").write_text(GLOBALS + plan)
    return subprocess.Popen([ASSAY, "plan", "run", "./x.plan", *args, "--no-report"], cwd=place,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env={**os.environ, **environment(place)})  # fmt: skip


def kill(process: "subprocess.Popen[bytes]") -> None:
    assert process.poll() is None  # it had not come to its end
    process.send_signal(signal.SIGKILL)
    process.wait()


def make_file_system(loop: Any, label: str) -> None:
    subprocess.run(["mkfs.ext4", "-q", "-F", "-L", label, loop.dev], check=True)


def label_of(loop: Any) -> str:
    return subprocess.run(["blkid", "-p", "-o", "value", "-s", "LABEL", loop.dev],
                          capture_output=True, text=True).stdout.strip()  # fmt: skip


def token(loop: Any) -> str:
    return f"{Path(loop.dev).name}:{SIZE}"


@pytest.mark.parametrize("before", ["", "old"])
def test_what_others_put_there_meanwhile_needs_its_own_consent(
    rig: Any, place: Path, before: str
) -> None:
    """Also where the drive carried the like of it before, and was given for that."""
    loop = rig(Loop, SIZE)
    if before:
        make_file_system(loop, "the-same")
    process = start(place, FILL + READ.format("", 20000), loop.dev, f"--destroy={token(loop)}")
    wait_for(place, 1)
    kill(process)
    make_file_system(loop, "the-same")
    refused = go(place, "resume", rc=5)
    assert 'carries ext4 "the-same"' in refused.err
    assert f"--destroy={token(loop)}" in refused.err
    assert label_of(loop) == "the-same"
    assert len(show(place)["journal"]) == 1


def test_consent_that_is_given_again_lets_it_go_on(rig: Any, place: Path) -> None:
    loop = rig(Loop, SIZE)
    plan = READ.format("", 100) + READ.format("-long", 1000) + WRITE.format(100)
    process = start(place, plan, loop.dev)
    wait_for(place, 1)
    kill(process)
    make_file_system(loop, "stranger")
    go(place, "resume", rc=5)
    go(place, "resume", f"--destroy={token(loop)}")
    assert label_of(loop) == ""


def test_data_of_a_cell_that_was_cut_off_are_its_own(rig: Any, place: Path) -> None:
    """Nothing is in the journal yet: the first write was killed."""
    loop = rig(Loop, SIZE)
    process = start(place, WRITE.format(2000), loop.dev)

    def wrote() -> bool:
        with open(loop.dev, "rb") as device:
            return any(device.read(1 << 20))

    assert wait_until(wrote, 30)
    kill(process)
    assert show(place)["journal"] == []
    go(place, "resume")
    assert len(show(place)["journal"]) == 1


def test_what_it_was_given_for_is_not_asked_for_again(rig: Any, place: Path) -> None:
    loop = rig(Loop, SIZE)
    make_file_system(loop, "given")
    plan = READ.format("", 100) + READ.format("-long", 1000) + WRITE.format(100)
    process = start(place, plan, loop.dev, f"--destroy={token(loop)}")
    wait_for(place, 1)
    kill(process)
    assert label_of(loop) == "given"
    go(place, "resume")
    assert label_of(loop) == ""
