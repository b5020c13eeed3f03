"""The shipped plans, each run to its end on a simulated drive, and some on a loop device; what they
find is held against the model itself.
"""

import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rigs.assay import run
from rigs.loop import Loop
from rigs.planned import held_against

MIB = 1 << 20


@pytest.fixture
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins, and disks of CI are slow at that."""
    folder = tempfile.mkdtemp(prefix="assay-plan-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def go(place: Path, *args: str, rc: int = 0) -> str:
    env = {"XDG_DATA_HOME": str(place / "data"), "XDG_STATE_HOME": str(place / "state")}
    command = ["plan", "run", *args, f"--store={place}/r.db"]
    return run(command, cwd=place, env=env).check(rc).out


def rounds(place: Path, step: str) -> list[float]:
    """IOPS of the last plan's rounds, of its only cell."""
    with sqlite3.connect(place / "r.db") as db:
        return [row[0] for row in db.execute(
            "SELECT f.ios_per_s FROM plan_cells c JOIN plan_figures f USING (plan_id, number)"
            " WHERE c.step_name = ? AND f.direction = 'all'"
            " AND c.plan_id = (SELECT max(id) FROM plans) ORDER BY number", (step,))]  # fmt: skip


def estimated_and_done(place: Path, plan: str, target: str, *options: str, rc: tuple[int, ...]) -> str:
    """Carries a plan out; what was said before, of each step, is what the journal tells. The
    verdicts of a real target are of the machine's moment: any exit code of `rc` will do.
    """
    env = {"XDG_DATA_HOME": str(place / "data"), "XDG_STATE_HOME": str(place / "state")}
    said = run(["plan", "estimate", plan, target, *options, "--format=json",
                f"--store={place}/r.db"], cwd=place, env=env).check()  # fmt: skip
    done = run(["plan", "run", plan, target, *options, f"--store={place}/r.db", "--no-report"],
               cwd=place, env=env)  # fmt: skip
    assert done.rc in rc, done
    kept = run(["results", "show", "@plan", "--format=json", f"--store={place}/r.db"]).check()
    assert held_against(json.loads(said.out), json.loads(kept.out)) == []
    return done.out


CARD = "sim:pcie-mlc-1.2t"

# Plan, target, options, exit code, and what its page must say.
PLANS: list[tuple[str, str, list[str], int, list[str]]] = [
    ("pcie-ssd", CARD, ["--scale=2000"], 0, [
        r"scale 1/2000", r"numjobs +bs=4k +bs=8k", r"\n32 +\d+ us .* IOPS", r"\n16 write "]),
    ("cloud-disk", "sim:cloud-ssd-100g", ["--scale=10", "--set", "product=ssd"], 0, [
        r"Two limits: 4,800 IOPS", r"meet at\s+35\.8 KiB", r"entitlement +pass, ", r"bs=1024k", r"(99|100|101)\.\d %\s+of\s+what\s+was\s+sold:\s+the\s+throttle,\s+not\s+the\s+disk"]),
    ("cloud-disk", "sim:cloud-efficient-100g", ["--scale=10", "--set", "product=ssd"], 1, [
        r"entitlement +fail, ", r"%\s+of\s+what\s+was\s+sold:\s+less\s+than\s+that"]),
    ("cdm", "sim:nvme-enterprise,scale=1000", ["--scale=100", "--set", "mix=yes"], 0, [
        r"SEQ1M-Q8T1-read\nOf 5 repetitions \(1 more was not counted\): the best",
        r"RND4K-Q1T1-mix"]),
    ("cdm", "sim:sata-tlc-128g,scale=10", ["--scale=100", "--set", "profile=v3", "--set",
     "score=mean", "--set", "zeros=1"], 0, [r"RND512K-Q1T1-write\nOf 5 .*: the mean"]),
    ("pts-iops", CARD, ["--scale=2000", "--set", "sizes=1024k,64k,4k"], 0, [
        r"Steady in round \d+", r"iops\[rwmixread=65 bs=64k\]", r"\n64k ",
        r"not certified"]),
    ("pts-throughput", CARD, ["--scale=2000"], 0, [
        r"write-1024k\n", r"write-128k\n", r"steady window +average"]),
    ("pts-latency", CARD, ["--scale=2000", "--set", "class=client"], 0, [
        r"mean\[rwmixread=0 bs=4k\]", r"histogram\n"]),
    ("consistency", CARD, ["--scale=500"], 2, [
        r"mixed iodepth=32 +pass, zero_intervals == 0", r"read iodepth=32 +pass, "]),
    # A fifth of this card given back makes it more than 10 % faster: it depends on TRIM.
    ("trim", CARD, ["--scale=500"], 1, [r"discard\n", r"without\.iops >= 90% of with\.iops"]),
    ("curve", CARD, ["--scale=500"], 0, [r"load %", r"100 ", r"p99 < 1ms holds"]),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "target", "options", "rc", "words"), PLANS,
                         ids=[f"{p[0]}-{i}" for i, p in enumerate(PLANS)])  # fmt: skip
def test_a_plan_runs_to_its_end(place, plan, target, options, rc, words):
    out = estimated_and_done(place, plan, target, *options, rc=(rc,))
    assert out.startswith("simulated: ")
    assert re.search(r"state +done", out)
    for word in words:
        assert re.search(word, out), f"{word}\n{out}"


@pytest.mark.parametrize("profile", ["default", "v3"])
def test_the_layout_of_crystaldiskmark(place, profile):
    """Of a plan that runs and of one that is kept: the same lines, with the best of each cell."""
    args = ["cdm", "sim:nvme-enterprise,scale=1000", "--scale=100", "--set", f"profile={profile}"]
    out = go(place, *args, "--format=cdm")
    lines = out.splitlines()
    assert lines[0].startswith("assay ")
    assert "not measured by CrystalDiskMark" in lines[0]
    assert "simulated" in lines[0]
    assert "best of 5 runs (1 before it was not counted)" in out
    shown = run(["results", "show", "p1", "--format=cdm",
                 f"--store={place}/r.db"]).check().out  # fmt: skip
    assert shown == out
    if profile == "v3":
        assert re.search(r"Random Write 4KB \(QD=32\) : +[\d.]+ MB/s \[ *[\d.]+ IOPS\]", out)
        return
    with sqlite3.connect(place / "r.db") as db:
        best = max(row[0] for row in db.execute(
            "SELECT f.bytes_per_s FROM plan_cells c JOIN plan_figures f USING (plan_id, number)"
            " WHERE c.step_name = 'RND4K-Q1T1-read' AND c.pass > 0 AND f.direction = 'all'"))  # fmt: skip
    found = re.search(r"RND +4KiB \(Q=  1, T= 1\): +([\d.]+) MB/s \[ *([\d.]+) IOPS\] <", out)
    assert found, out
    assert float(found[1]) == round(best / 1e6, 3)
    assert float(found[2]) == round(best / 4096, 1)
    assert "Profile: default" in out


def test_the_layout_is_of_plans_of_single_cells(place):
    refused = run(["plan", "run", "pts-latency", CARD, "--scale=2000", "--format=cdm",
                   f"--store={place}/r.db"]).check(4).err  # fmt: skip
    assert "cdm is for plans of single cells" in refused
    assert "p1" not in run(["results", "list", f"--store={place}/r.db"]).out  # nothing ran
    refused = run(["results", "list", "--format=cdm", f"--store={place}/r.db"]).check(4).err
    assert "cdm is for plans" in refused


@pytest.mark.long_cpu
def test_more_spare_flash_is_faster_and_less_range_is_spare(place):
    out = go(place, "over-provisioning", "sim:pcie-mlc-1.2t,op=12%,cache=1m", "--scale=500",
             "--set", "time=120s")  # fmt: skip
    levels = [rounds(place, f"write-{r}")[-1] for r in (100, 93, 80, 72)]
    assert levels == sorted(levels), out
    assert levels[3] > 1.5 * levels[0]


# --- in real time ---


# fs-vs-raw is in test_plan_filesystem.
SHORT = ["--scale=8", "--set", "time=160ms", "--set", "rounds=5"]  # of 64 MiB 8, and 20 ms a cell


@pytest.mark.parametrize(("plan", "options", "words"), [
    ("cloud-disk", ["--set", "size=8m", "--set", "latency_size=1m", "--set", "cap=100ms", "--set", "burst=300ms", "--set",
     "time=20ms", "--set", "product=ssd"], [r"entitlement +\S+.*, burst\.iops", r"corner\n", r"bs=1024k"]),
    ("pts-iops", [*SHORT, "--set", "sizes=1024k,64k,4k", "--set", "class=client"], [
        r"teady (in round|after) \d+", r"iops\[rwmixread=65 bs=64k\]"]),
    ("pts-throughput", SHORT, [r"write-1024k\n", r"read-128k\n"]),
    ("pts-wsat", [*SHORT, "--set", "histogram=800ms", "--set", "stride=1"], [
        r"teady (in round|after) \d+", r"histogram\n"]),
    ("consistency", [*SHORT, "--set", "mixed=160ms", "--set", "read=160ms"], [
        r"mixed iodepth=32 +\S+.*, zero_intervals == 0", r"read\n"]),
    ("trim", [*SHORT, "--set", "among=160ms"], [r"discard\n", r"without\.iops >= 90% of with\.iops"]),
    ("over-provisioning", SHORT, [r"write-100\n", r"write-72\n"]),
    ("curve", SHORT, [r"load %", r"\n110 "]),
    ("pcie-ssd", ["--set", "time=50ms"], [r"\n32 +[\d.,]+ us", r"\n16 write "]),
    ("cdm", ["--set", "size=16m", "--set", "time=50ms", "--set", "runs=3", "--set", "pause=10ms"],
     [r"RND4K-Q1T1-write\nOf 2 repetitions \(1 more was not counted\)"]),
    ("pts-latency", ["--set", "time=20ms", "--set", "histogram=200ms", "--set", "sizes=4k", "--set",
                     "rounds=6"],
     [r"purge\n", r"teady (in round|after) \d+", r"histogram\n"]),
])  # fmt: skip
def test_a_short_form_runs_on_a_device(place, rig, plan, options, words):
    """Figures of a loop device are nobody's: that all steps come to their end is what is asked."""
    loop = rig(Loop, 64 * MIB, ram=True)
    out = estimated_and_done(place, plan, loop.dev, *options, rc=(0, 1, 2))
    assert re.search(r"state +done", out)
    assert not out.startswith("simulated")
    assert ("short form: scale 1/8" in out) == ("--scale=8" in options)
    assert "changed against the plan as it is shipped" in " ".join(out.split())
    for word in words:
        assert re.search(word, out), f"{word}\n{out}"
    if plan == "cdm":
        shown = run(["results", "show", "p1", "--format=cdm", f"--store={place}/r.db"])
        assert re.search(r"\n *OS: \S.* \[Linux \d", shown.check().out), shown


@pytest.mark.parametrize(("plan", "options"), [
    ("cdm", ["--set", "size=16m", "--set", "time=20ms", "--set", "runs=2", "--set", "pause=1ms"]),
    ("cloud-disk", ["--scale=10000", "--set", "product=ssd"]),
    ("pcie-ssd", ["--set", "time=10ms"]),
])  # fmt: skip
def test_a_file_is_laid_out_as_the_estimate_says(place, plan, options):
    """New, or longer than what is there: the bytes that fill it are written too."""
    file = place / "target"
    if plan == "pcie-ssd":
        file.touch()
        os.truncate(file, 16 * MIB)
        options = [*options, f"--destroy={file}"]
    estimated_and_done(place, plan, str(file), *options, rc=(0, 1, 2))
