"""Plans on a real block device: consent once, one plan at a time, the same drive until its end."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import ASSAY, run
from rigs.loop import Loop
from rigs.planned import environment, show, wait_for
from rigs.scratch import Scratch
from rigs.terminal import run_on_terminal

PLAN = """
[global]
runtime=200ms
time_based
ioengine=libaio
direct=1
[clean]
step=purge
[health]
step=snapshot
[fill]
step=fill
workers=2
[read]
step=sweep
rw=randread
sweep=bs=4k,64k
write_cache=off
refresh=100ms
[rest]
step=idle
for=200ms
[write]
step=rounds
rw=randwrite
bs=64k
until=steady(iops, window=2)
max_rounds=2
"""


@pytest.fixture
def place(scratch: Scratch) -> Path:
    folder = Path(scratch.path)
    (folder / "small.plan").write_text(PLAN)
    return folder


def go(place: Path, *args, rc: int = 0):
    return run(args, cwd=place, env=environment(place), timeout=60).check(rc)


def start(place: Path, *args):
    return subprocess.Popen([ASSAY, "plan", *args], cwd=place, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, env={**os.environ, **environment(place)})


def test_consent_is_asked_for_once_and_the_plan_carried_out(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 << 20)
    with open(loop.dev, "r+b") as device:
        device.write(b"somebody's only copy" * 1000)
    refused = go(place, "plan", "run", "./small.plan", loop.dev, rc=5)
    token = refused.err.split("--destroy=")[1].split()[0].rstrip(".")
    with open(loop.dev, "rb") as device:
        assert device.read(8) == b"somebody"
    assert run(["results", "show", "p1"], cwd=place, env=environment(place)).rc == 4
    shown = run_on_terminal(["plan", "run", "./small.plan", loop.dev, f"--destroy={token}"],
                            cwd=place, env=environment(place), columns=160)
    assert shown.rc == 0, shown.out
    assert "4/6 read bs=4k, " in shown.out
    assert " left" in shown.out
    document = show(place)
    notes = {step["step"]: step["notes"] for step in document["steps"]}
    assert notes["clean"][0].startswith("TRIM of the whole device")
    assert "unknown" in notes["health"][0]
    assert "left as it is" in notes["read"][0]
    fill = document["journal"][2]
    assert fill["written_bytes"] == 32 << 20


def test_a_plan_has_its_device_for_itself(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 << 20)
    (place / "small.plan").write_text(PLAN.replace("for=200ms", "for=1h"))
    process = start(place, "run", "./small.plan", loop.dev)
    try:
        wait_for(place, 5)
        second = go(place, "plan", "run", "./small.plan", loop.dev, rc=5)
        assert "process" in second.err
        other = go(place, "run", "--name=j", f"--filename={loop.dev}", "--rw=read", "--size=64k",
                   rc=5)
        assert "process" in other.err
        assert "is being carried out by another process" in go(
            place, "plan", "resume", "p1", rc=5).err
    finally:
        process.send_signal(signal.SIGINT)  # while it idles
        process.wait()
    assert process.returncode == 128 + signal.SIGINT
    assert show(place)["state"] == "stopped"


def test_a_killed_plan_goes_on_and_says_so(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 << 20)
    process = start(place, "run", "./small.plan", loop.dev)
    wait_for(place, 4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(show(place)["journal"])
    document = go(place, "plan", "resume", "--format=json")
    document = document.json()
    assert document["state"] == "done"
    assert len(document["journal"]) == 8
    notes = [note for step in document["steps"] for note in step["notes"]]
    assert any("went on after a break of" in note for note in notes), before


def test_another_drive_in_the_same_place_stops_the_plan(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 << 20)
    process = start(place, "run", "./small.plan", loop.dev)
    wait_for(place, 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    backing = subprocess.run(["losetup", "-nO", "BACK-FILE", loop.dev], check=True,
                             capture_output=True, text=True).stdout.strip()
    with contextlib.suppress(OSError):
        os.truncate(backing, 16 << 20)
    subprocess.run(["losetup", "-c", loop.dev], check=True)
    changed = go(place, "plan", "resume", rc=6)
    assert "is another drive than the plan began with: it had 33554432 bytes" in changed.err
    assert show(place)["state"] == "cut off"


LONG = """
[first]
step=run
rw=read
size=1m
[long]
step=run
rw=randread
rate_iops=100
runtime=1h
time_based
"""


def test_a_drive_that_changes_in_the_middle_of_a_cell_stops_the_plan_then(
        rig: Any, place: Path) -> None:
    """Not when the hour is over; the cell is not kept, and those before it are."""
    loop = rig(Loop, 32 << 20)
    (place / "long.plan").write_text(LONG)
    process = start(place, "run", "./long.plan", loop.dev)
    wait_for(place, 1)
    os.truncate(loop.backing, 16 << 20)
    subprocess.run(["losetup", "-c", loop.dev], check=True)
    assert process.wait(timeout=60) == 6
    document = show(place)
    assert document["state"] == "stopped"
    assert [entry["step"] for entry in document["journal"]] == ["first"]


def attach(device: str, backing: Path) -> None:
    subprocess.run(["losetup", "-d", device], check=True)
    subprocess.run(["losetup", device, backing], check=True)


def test_another_file_of_the_same_size_behind_a_loop_stops_the_plan(rig: Any, place: Path) -> None:
    """Only after a break: while it runs the plan holds the device, and nothing can be attached."""
    loop = rig(Loop, 32 << 20)
    other = place / "other"
    other.touch()
    os.truncate(other, 32 << 20)
    process = start(place, "run", "./small.plan", loop.dev)
    wait_for(place, 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    attach(loop.dev, other)
    changed = go(place, "plan", "resume", rc=6).err
    assert "is another drive than the plan began with: its serial number was" in changed
    attach(loop.dev, loop.backing)
    assert go(place, "plan", "resume", "--format=json").json()["state"] == "done"


FILE_PLAN = """
[global]
direct=1
size=1m
[one]
step=run
rw=read
[rest]
step=idle
for=1s
[two]
step=run
rw=read
"""


@pytest.mark.parametrize("when", ["a resume", "a step"])
def test_another_file_of_the_same_name_stops_a_plan(place: Path, when: str) -> None:
    (place / "file.plan").write_text(FILE_PLAN)
    (place / "f").write_bytes(bytes(1 << 20))
    process = start(place, "run", "./file.plan", "./f")
    wait_for(place, 1)
    if when == "a resume":
        process.send_signal(signal.SIGKILL)
        process.wait()
    os.rename(place / "f", place / "mine")
    (place / "f").write_bytes(bytes(1 << 20))
    if when == "a step":
        assert process.wait() == 6
        assert show(place)["state"] == "stopped"
    changed = go(place, "plan", "resume", rc=6).err
    assert "is another drive than the plan began with: its serial number was" in changed
    os.rename(place / "mine", place / "f")
    assert go(place, "plan", "resume", "--format=json").json()["state"] == "done"
