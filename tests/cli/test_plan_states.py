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


@pytest.mark.parametrize("target, named", [("none/f", "there is no such folder"),
                                           ("./none", "has no size to go by"),
                                           ("/dev/none", "no such file or directory")])  # fmt: skip
def test_of_a_plan_that_cannot_begin_the_error_alone_is_left(place, target, named):
    (place / "y.plan").write_text(READS.replace("size=1m\n", ""))
    refused = run(["plan", "run", "./y.plan", target], cwd=place,
                  env={"XDG_DATA_HOME": str(place / "data")})  # fmt: skip
    assert refused.rc in (4, 6) and not refused.out
    assert named in refused.err and target in refused.err and "lost" not in refused.err
    assert state(place) == ""
    left = {path.name for path in (place / "data").rglob("*") if path.is_file()}
    assert left <= {"results.db", "results.db-wal", "results.db-shm"}, left


FILLING = "sim:sata-tlc-128g"  # its fast cache fills up in these rounds
UNSTEADY = """
[w]
step=rounds
rw=randwrite
bs=4k
iodepth=32
runtime=60s
time_based
max_rounds=5
until=steady(iops, window=5, range=1%, slope=1%)
check=iops > 1
"""


def test_a_pass_without_steady_state_says_so_and_remarks_are_shown(place):
    (place / "u.plan").write_text(UNSTEADY)
    out = go(place, "plan", "run", "./u.plan", FILLING, "--scale=100", "--no-report").out
    text = " ".join(out.split())
    assert "pass, but steady state was not reached: 1 of 1 check passed." in text
    assert "steady state not reached in [w]" in text
    go(place, "results", "note", "p1", "the cable was swapped")
    go(place, "results", "tag", "p1", "before-fix")
    page = go(place, "results", "show", "p1").out
    assert "the cable was swapped" in page and "before-fix" in page
    document = go(place, "results", "show", "p1", "--format=json").json()
    assert document["tags"] == ["before-fix"]
    assert [remark["text"] for remark in document["remarks"]] == ["the cable was swapped"]


TWO = """
[one]
step=run
rw=randread
bs=4k
size=1m
runtime=100ms
time_based
[two]
step=run
rw=randread
bs=8k
size=1m
runtime=60s
time_based
"""


def test_a_comparison_says_what_an_unfinished_plan_lacks(place):
    (place / "x.plan").write_text(TWO.replace("60s", "100ms"))
    go(place, "plan", "run", "./x.plan", "./f", "--no-report")
    (place / "x.plan").write_text(TWO)
    process = start(place, "run", "./x.plan", "./f", "--no-report")
    assert wait_until(lambda: len(plan(place, "p2")["journal"]) == 1, 30)
    process.send_signal(signal.SIGINT)
    process.wait()
    text = " ".join(go(place, "compare", "p1", "p2").out.split())
    assert "p2 is not complete: the plan has not ended" in text
    assert "p2 lacks 1 cell: randread 8 KiB depth 1 x1" in text
    assert go(place, "gate", "p1", "p2", "--margin=100%", "--format=json", rc=2).json()


def plan(place: Path, name: str) -> dict:
    return go(place, "results", "show", name, "--format=json").json()


def test_of_repetitions_that_never_began_only_their_number_is_told(place):
    """A page as long as what was done, however many were asked for."""
    (place / "x.plan").write_text(TWO)
    process = start(place, "run", "./x.plan", "./f", "--repeat=5000")
    assert wait_until(lambda: len(plan(place, "p1")["journal"]) == 1, 30)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    text = " ".join(go(place, "results", "show", "p1").out.split())
    assert "4999 of 5000 repetitions were not begun" in text
    assert "./f, repetition 1" in text
    assert "repetition 2" not in text
    (report,) = (place / "data/assay/reports").iterdir()
    assert "4999 of 5000 repetitions were not begun" in report.read_text()
    assert "repetition 2" not in report.read_text()
