"""What the lists say of a plan: whether it runs, was stopped or was cut off, and that none is left
of one that could not begin."""

import signal
import subprocess
from pathlib import Path

import pytest
from rigs.assay import ASSAY, run
from rigs.held import wait_until
from rigs.scratch import Scratch

READS = """
[a]
step=run
rw=randread
bs=4k
size=1m
rate_iops=100
runtime=60s
time_based
"""


@pytest.fixture
def place(scratch: Scratch) -> Path:
    folder = Path(scratch.path)
    (folder / "x.plan").write_text(READS)
    (folder / "f").write_bytes(bytes(1 << 20))
    return folder


def go(place: Path, *args: str, rc: int = 0):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data")}).check(rc)


def state(place: Path) -> str:
    if not (place / "data/assay/results.db").exists():
        return ""
    shown = run(["results", "list", "--format=json"], cwd=place,
                env={"XDG_DATA_HOME": str(place / "data")})  # fmt: skip
    plans = [e for e in shown.json() if e["kind"] == "plan"] if shown.rc == 0 else []
    return plans[-1]["state"] if plans else ""


def start(place: Path, *args: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [ASSAY, "plan", *args], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"XDG_DATA_HOME": str(place / "data")})  # fmt: skip
    assert wait_until(lambda: state(place) == "running", 30)
    return process


def test_a_plan_runs_or_was_cut_off_or_stopped(place):
    """Its process is asked for, not what it wrote last."""
    process = start(place, "run", "./x.plan", "./f")
    assert "being carried out" in go(place, "results", "rm", "p1", rc=5).err
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert state(place) == "cut off"
    assert "cut off" in go(place, "results", "list").out
    assert "not complete: cut off" in go(place, "results", "show", "p1").out
    process = start(place, "resume")  # kept as it was, and yet it runs
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert state(place) == "stopped"
