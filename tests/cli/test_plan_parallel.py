"""A plan on all its targets at once: the same figures, whoever is killed, and who is the odd one."""

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import ASSAY, run
from rigs.loop import Loop
from rigs.planned import figures, show, wait_for
from rigs.scratch import Scratch

DRIVE = "sim:nvme-enterprise,scale=4000"
TARGETS = [DRIVE, f"{DRIVE},seed=2", f"{DRIVE},seed=3", "sim:sata-enterprise,scale=4000"]
PLAN = """
[global]
runtime=30ms
time_based
[fill]
step=fill
[read]
step=sweep
rw=randread
sweep=bs=4k,16k x iodepth=1,8
needs=fill
[write]
step=rounds
rw=randwrite
iodepth=8
until=steady(iops, window=3)
max_rounds=4
"""
REAL = """
[global]
ioengine=libaio
direct=1
runtime=100ms
time_based
[fill]
step=fill
[rest]
step=idle
for=REST
[read]
step=sweep
rw=randread
sweep=bs=4k,64k
"""


@pytest.fixture
def place(scratch: Scratch) -> Path:
    folder = Path(scratch.path)
    (folder / "small.plan").write_text(PLAN)
    return folder


def go(place: Path, *args: str, rc: int = 0):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data")}, timeout=60).check(rc)


def start(place: Path, *args: str):
    return subprocess.Popen([ASSAY, "plan", *args], cwd=place, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "XDG_DATA_HOME": str(place / "data")})


def lanes(document):
    """What each target did, in order."""
    journal = figures(document, "outliers")[0]
    return [[e for e in journal if e["target"] == t] for t in range(len(document["targets"]))]


def test_targets_at_once_find_what_they_find_one_after_another(place):
    one = go(place, "plan", "run", "./small.plan", *TARGETS, "--format=json").json()
    all_ = go(place, "plan", "run", "./small.plan", *TARGETS, "--parallel", "--format=json").json()
    assert (one["parallel"], all_["parallel"]) == (False, True)
    assert all_["state"] == "done"
    assert lanes(one) == lanes(all_)
    # The journal takes turns, whoever was faster.
    assert [e["target"] for e in all_["journal"][:8]] == [0, 1, 2, 3] * 2


def test_the_drive_that_is_not_like_the_others_is_marked(place):
    out = go(place, "plan", "run", "./small.plan", *TARGETS, "--parallel")
    marked = show(place)["outliers"]
    assert {m["target"] for m in marked} == {3}
    assert {(m["step"], m["figure"]) for m in marked} >= {("read", "iops"), ("read", "mean")}
    assert all(abs(m["score"]) > 3.5 for m in marked)
    text = " ".join(out.out.split())
    assert "all targets at once" in text
    assert "not like the others: sim:sata-enterprise,scale=4000 in" in text
    assert "3.5 modified z-scores" in text
    assert "(outlier, -" in text
    two = go(place, "plan", "run", "./small.plan", *TARGETS[:2]).out
    assert "Of two targets nobody can say which is the odd one" in " ".join(two.split())
    same = go(place, "plan", "run", "./small.plan", *TARGETS[:3], "--parallel").out
    assert "No target is an outlier in any of" in " ".join(same.split())


def test_all_that_work_are_killed_together_and_go_on(place):
    """Ten kills of the one process that was started, wherever they fall; the seed is stated."""
    chance = random.Random(5)
    began = time.monotonic()
    whole = figures(go(place, "plan", "run", "./small.plan", *TARGETS[:3], "--parallel",
                       "--format=json").json(), "outliers")
    span = time.monotonic() - began
    process = start(place, "run", "./small.plan", *TARGETS[:3], "--parallel")
    wait_for(place, 0, "p2")
    for _ in range(10):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.02, span / 4))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(place, "resume")
    assert process.wait() in (0, 4), process.stderr.read()
    last = run(["plan", "resume"], cwd=place, env={"XDG_DATA_HOME": str(place / "data")})
    assert last.rc in (0, 4), last
    assert figures(show(place, "p2"), "outliers") == whole
    left = [path.name for path in (place / "data/assay").iterdir() if "plan-" in path.name]
    assert left == []


def test_estimates_are_of_the_slowest_and_of_all_bytes(place):
    def last(*args: str) -> str:
        out = go(place, "plan", "estimate", "./small.plan", *TARGETS[:2], *args).out
        return " ".join(out.split()[-18:])

    assert "2 targets at once, 1 repetition:" in last("--parallel")
    assert "2 targets, 1 repetition:" in last()
    assert last().split("repetition: ")[1] != last("--parallel").split("repetition: ")[1]


def test_progress_lines_have_no_place_beside_each_other(place):
    refused = go(place, "plan", "run", "./small.plan", *TARGETS[:2], "--parallel", "--progress=json",
                 rc=4).err
    assert "`assay watch` shows them" in refused


# --- devices ---


def test_devices_at_once_say_what_they_share_and_stop_together(rig: Any, place: Path) -> None:
    loops = [rig(Loop, 16 << 20), rig(Loop, 16 << 20)]
    (place / "small.plan").write_text(REAL.replace("REST", "1h"))
    process = start(place, "run", "./small.plan", *[loop.dev for loop in loops], "--parallel")
    wait_for(place, 2)
    other = run(["run", "--name=j", f"--filename={loops[1].dev}", "--rw=read", "--size=64k"],
                cwd=place, env={"XDG_DATA_HOME": str(place / "data")})
    watcher = subprocess.Popen([ASSAY, "watch"], cwd=place, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "XDG_DATA_HOME": str(place / "data")})
    process.send_signal(signal.SIGINT)  # while both idle
    said = process.stderr.read()
    assert process.wait() == 128 + signal.SIGINT
    watcher.wait()
    assert other.rc == 5, other
    assert "process" in other.err
    assert said.count("stopped: `assay plan resume") == 1
    document = show(place)
    assert document["state"] == "stopped"
    assert sorted(e["target"] for e in document["journal"]) == [0, 1]
    shared = [n for step in document["steps"] for n in step["notes"] if n.startswith("shares ")]
    assert f"note: {loops[0].dev} shares " not in said or len(shared) == 2


def test_devices_go_on_at_once_after_a_kill(rig: Any, place: Path) -> None:
    loops = [rig(Loop, 16 << 20), rig(Loop, 16 << 20)]
    (place / "small.plan").write_text(REAL.replace("REST", "500ms"))
    process = start(place, "run", "./small.plan", *[loop.dev for loop in loops], "--parallel")
    wait_for(place, 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    document = go(place, "plan", "resume", "--format=json").json()
    assert document["state"] == "done"
    assert [len(lane) for lane in lanes(document)] == [4, 4]
    notes = [n for step in document["steps"] for n in step["notes"]]
    assert sum("went on after a break of" in n for n in notes) <= 2


def test_a_lost_drive_does_not_end_the_others(rig: Any, place: Path) -> None:
    loops = [rig(Loop, 16 << 20), rig(Loop, 16 << 20)]
    (place / "small.plan").write_text(REAL.replace("REST", "1s"))
    process = start(place, "run", "./small.plan", *[loop.dev for loop in loops], "--parallel")
    wait_for(place, 2)
    backing = subprocess.run(["losetup", "-nO", "BACK-FILE", loops[0].dev], check=True,
                             capture_output=True, text=True).stdout.strip()
    os.truncate(backing, 8 << 20)
    subprocess.run(["losetup", "-c", loops[0].dev], check=True)
    said = process.stderr.read()
    assert process.wait() == 6
    assert f"{loops[0].dev}: " in said
    assert "of 2 targets 1 did not come to their end" in said
    document = show(place)
    assert document["state"] == "stopped"
    assert [len(lane) for lane in lanes(document)] in ([1, 4], [2, 4])
