"""--max-write of a plan: no byte beyond it, one message, a whole journal, and a resume goes on."""

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import ASSAY, run
from rigs.loop import Loop
from rigs.planned import environment, figures, show, wait_for
from rigs.scratch import Scratch

MIB = 1 << 20
DRIVE = "sim:nvme-enterprise,scale=4000"
PLAN = """
[global]
runtime=30ms
time_based
[fill]
step=fill
[read]
step=sweep
rw=randread
sweep=bs=4k,16k
[write]
step=run
rw=write
bs=64k
number_ios=64
"""
REAL = """
[global]
ioengine=libaio
direct=1
bs=64k
[clean]
step=purge
method=zero
[fill]
step=fill
workers=2
[read]
step=run
rw=read
size=1m
"""


@pytest.fixture
def place(scratch: Scratch) -> Path:
    folder = Path(scratch.path)
    (folder / "small.plan").write_text(PLAN)
    (folder / "real.plan").write_text(REAL)
    return folder


def go(place: Path, *args: str, rc: int = 0):
    return run(["plan", *args], cwd=place, env=environment(place), timeout=60).check(rc)


def budgets(place: Path) -> list[Path]:
    return list((place / "data").rglob("*.budget"))


def test_a_simulated_drive_stops_and_a_resume_finds_what_a_whole_one_finds(place: Path) -> None:
    whole = go(place, "run", "./small.plan", DRIVE, "--format=json").json()
    fill = whole["journal"][0]["written_bytes"]
    stopped = go(place, "run", "./small.plan", DRIVE, f"--max-write={fill - MIB}", rc=5)
    assert stopped.err.count("stopped at --max-write") == 1
    assert "[fill]" in stopped.err
    assert "undone are [fill], [read], [write]" in stopped.err
    assert "plan resume p2 --max-write=SIZE" in stopped.err
    document = show(place, "p2")
    assert document["state"] == "stopped"
    assert document["journal"] == []
    assert document["max_write_bytes"] == fill - MIB
    assert len(budgets(place)) == 1
    again = go(place, "resume", "p2", rc=5)  # nothing is left
    assert again.err.count("stopped at --max-write") == 1
    less = go(place, "resume", "p2", f"--max-write={MIB}", rc=4)
    assert "already" in less.err
    limit = 2 * fill  # the fill that was cut off counts, and the last step is cut off
    second = go(place, "resume", "p2", f"--max-write={limit}", rc=5)
    assert "undone are [write]" in second.err
    assert [e["step"] for e in show(place, "p2")["journal"]] == ["fill", "read", "read"]
    done = go(place, "resume", "p2", "--max-write=0", "--format=json").json()
    assert figures(done, "verdicts") == figures(whole, "verdicts")
    assert done["max_write_bytes"] == 0
    assert not budgets(place)


def test_the_estimate_says_which_step_reaches_it(place: Path) -> None:
    whole = go(place, "estimate", "./small.plan", DRIVE, "--format=json").json()
    fill = whole["targets"][0]["steps"][0]["least_written_bytes"]
    assert whole["max_write_bytes"] == 0
    limit = f"--max-write={fill - 1}"
    for words in (["estimate"], ["run", "--dry-run"]):
        page = go(place, *words, "./small.plan", DRIVE, limit)
        assert f"[fill] of {DRIVE} will reach --max-write" in " ".join(page.out.split())
    after = go(place, "estimate", "./small.plan", DRIVE, f"--max-write={fill + 1}", "--format=json")
    assert after.json()["may_reach_max_write"] == {"target": DRIVE, "step": "write"}
    never = go(place, "estimate", "./small.plan", DRIVE, "--max-write=1t")
    assert "is not reached by this estimate" in never.out
    assert not budgets(place)


def test_targets_at_once_share_it_and_say_it_once(place: Path) -> None:
    targets = [DRIVE, f"{DRIVE},seed=2"]
    whole = go(place, "run", "./small.plan", *targets, "--parallel", "--format=json").json()
    fill = whole["journal"][0]["written_bytes"]
    stopped = go(place, "run", "./small.plan", *targets, "--parallel", "--no-report",
                 f"--max-write={fill + fill // 2}", rc=5)
    assert stopped.err.count("stopped at --max-write") == 1
    kept = sum(e["written_bytes"] for e in show(place, "p2")["journal"])
    assert kept <= fill + fill // 2
    done = go(place, "resume", "p2", "--max-write=0", "--format=json").json()
    assert figures(done, "outliers")[1] == figures(whole, "outliers")[1]


def test_zeros_and_a_fill_of_a_device_end_at_the_byte(rig: Any, place: Path) -> None:
    loop = rig(Loop, 16 << 20)
    stat = Path("/sys/class/block") / os.path.basename(loop.dev) / "stat"

    def written() -> int:
        os.sync()
        return int(stat.read_text().split()[6]) * 512

    begin = written()
    first = go(place, "run", "./real.plan", loop.dev, "--max-write=5m", rc=5)
    assert "[clean]" in first.err
    assert written() - begin == 5 * MIB
    second = go(place, "resume", "--max-write=25m", rc=5)
    assert "[fill]" in second.err
    assert [e["step"] for e in show(place)["journal"]] == ["clean"]
    assert written() - begin == 25 * MIB
    go(place, "resume", "--max-write=41m")
    assert written() - begin == 41 * MIB
    assert show(place)["state"] == "done"


def test_a_file_that_is_laid_out_counts(place: Path) -> None:
    (place / "file.plan").write_text("[read]\nstep=run\nrw=read\nbs=64k\nsize=4m\n")
    file = str(place / "data.bin")
    stopped = go(place, "run", "./file.plan", file, "--max-write=3m", rc=5)
    assert "[read]" in stopped.err
    assert not os.path.exists(file) or os.stat(file).st_blocks == 0
    done = go(place, "resume", "--max-write=4m", "--format=json").json()
    assert done["journal"][0]["written_bytes"] == 4 * MIB


def test_a_kill_does_not_give_back_what_was_written(rig: Any, place: Path) -> None:
    loop = rig(Loop, 16 << 20)
    (place / "long.plan").write_text(
        "[global]\nioengine=libaio\ndirect=1\nbs=64k\n[rest]\nstep=idle\nfor=10ms\n"
        "[write]\nstep=run\nrw=write\nrate=4m\nruntime=60s\ntime_based\n")
    process = subprocess.Popen([ASSAY, "plan", "run", "./long.plan", loop.dev, "--max-write=1g"],
                               cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **environment(place)})
    try:
        wait_for(place, 1)
        deadline = 200
        while deadline and left(place) > (1 << 30) - MIB:
            deadline -= 1
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        assert deadline
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert left(place) <= (1 << 30) - MIB
    less = go(place, "resume", f"--max-write={MIB // 2}", rc=4)
    assert "already" in less.err
    budgets(place)[0].unlink()
    gone = go(place, "resume", rc=6)
    assert "is gone" in gone.err


def left(place: Path) -> int:
    return int.from_bytes(budgets(place)[0].read_bytes()[16:24], "little", signed=True)


def test_mkfs_begins_only_where_its_most_is_left(rig: Any, place: Path) -> None:
    loop = rig(Loop, 64 << 20)
    (place / "fs.plan").write_text(
        "[fs]\nstep=run\nfilesystem=ext4\nioengine=psync\nrw=write\nbs=64k\nsize=1m\n")
    stopped = go(place, "run", "./fs.plan", loop.dev, "--max-write=60m", rc=5)
    assert "[fs]" in stopped.err
    assert "0 B are written" in stopped.err
    done = json.loads(go(place, "resume", "--max-write=80m", "--format=json").out)
    assert done["state"] == "done"
