"""What a plan's checks say: of intervals in which nothing came back, and of a soak's slices."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rigs.assay import run

STALLED = "sim:nvme-enterprise,scale=10000,stall_every=1s,stall=400ms"
STALLS = """
[s]
step=run
rw=randread
bs=4k
iodepth=4
runtime=2s
time_based
check=zero_intervals == 0
judged_by=consistency
"""
SOAK = """
[plan]
title=A long one
[soak]
step=soak
for=600ms
every=100ms
rw=randread
bs=4k
iodepth=4
check=iops > 1000
check=max < 20ms
check=share_over(20ms) < 0.1%
"""
LONG = """
[s]
step=run
rw=randread
bs=4k
iodepth=4
runtime=20s
time_based
judged_by=%s
"""
# Its controller stops once in each slice but the first.
SOAKED = "sim:nvme-enterprise,scale=10000,stall_every=250ms,stall=30ms"


@pytest.fixture
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins, and disks of CI are slow at that."""
    folder = tempfile.mkdtemp(prefix="assay-plan-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def go(place: Path, text: str, target: str, *args: str, rc: int):
    (place / "x.plan").write_text(text)
    return run(["plan", "run", "./x.plan", target, "--no-report", f"--store={place}/r.db", *args],
               cwd=place).check(rc)  # fmt: skip


def test_an_interval_without_requests_is_counted_where_it_was_measured(place):
    """Two stops of 400 ms, intervals of 100 ms: each has at least two whole ones."""
    out = json.loads(go(place, STALLS, STALLED, "--format=json", rc=1).out)
    cell = out["steps"][0]["cells"][0]
    assert 3 <= cell["zero_intervals"] <= 8, cell
    failed = [v["rule"] for v in out["verdicts"] if v["outcome"] == "fail"]
    assert failed.count("zero_intervals == 0") == 2, failed  # the check, and the policy's


def test_each_slice_of_a_soak_is_judged(place):
    done = go(place, SOAK, SOAKED, rc=1)
    assert "soak, slice 2: fail, max < 20ms: 30" in done.err, done.err  # told at once
    text = " ".join(done.out.split())
    assert "pass, iops > 1000" in text
    assert "6 of 6 slices pass by themselves" in text, text
    assert "in slice 2; 5 of 6 slices fail" in text, done.out
    assert "slice 1:" not in done.err
    # Of all requests together too few are late: no slice of too few requests undoes that.
    assert "pass, share_over(20ms) < 0.1%" in text, text


def verdicts(out: str) -> dict[str, dict]:
    return {v["rule"]: v for v in json.loads(out)["verdicts"]}


def test_a_policy_of_intervals_judges_each_run(place):
    out = go(place, LONG % "default", STALLED, "--format=json", rc=1).out
    found = verdicts(out)
    late = found["count_over(200ms) == 0"]
    assert late["outcome"] == "fail" and late["value"] >= 4 and late["threshold"] == 0, late
    assert "; the worst at " in late["text"], late
    even = found["share_max_within(5 x p50) >= 95% or max <= 5ms"]
    assert even["outcome"] == "fail" and "400 ms" in even["text"], even
    assert found["p99.9 <= 5ms"]["outcome"] == "pass"
    assert "write.zero_intervals == 0" not in found  # it does not write


@pytest.mark.long_cpu
def test_a_drive_without_stalls_passes_the_policy(place):
    """More than three million requests: fewer do not bound a rate of 1 in a million."""
    done = go(place, LONG % "default", "sim:nvme-enterprise,scale=10000", "--format=json", rc=0)
    assert {v["outcome"] for v in verdicts(done.out).values()} == {"pass"}


@pytest.mark.long_cpu
def test_what_rows_do_not_hold_is_not_passed(place):
    found = verdicts(go(place, LONG % "act", STALLED, "--format=json", rc=1).out)
    assert found["span >= 24h"]["outcome"] == "fail"
    assert found["span >= 24h"]["value"] == pytest.approx(20e9, rel=1e-5)
    assert found["read.worst_share_over(1ms) < 5%"]["outcome"] == "cannot tell"
    go(place, LONG % "etcd", STALLED, rc=2)  # a rule of writes, and there are none


def test_the_worst_of_several_runs_is_the_cells(place):
    text = (LONG % "default").replace("20s", "2s") + "repeat=3\n"
    out = go(place, text, STALLED, "--format=json", rc=1).out
    assert ": run 1 of 3: " in verdicts(out)["zero_intervals == 0"]["text"]


def kept(db: Path) -> list[tuple]:
    with sqlite3.connect(db) as store:
        return store.execute("SELECT rule, outcome, value, threshold, text FROM verdicts "
                             "ORDER BY id").fetchall()  # fmt: skip


def judge_anew(place: Path, db: str) -> None:
    """As if it had been stopped before its end: what is kept of its cells is all that there is."""
    with sqlite3.connect(place / db) as store:
        store.execute("DELETE FROM verdicts")
        store.execute("UPDATE plans SET state = 'stopped'")
    run(["plan", "resume", "p1", "--no-report", f"--store={place}/{db}"], cwd=place).check(1)


@pytest.mark.long_cpu
def test_what_was_said_of_a_run_goes_where_its_plan_goes(place):
    go(place, LONG % "default", STALLED, rc=1)
    before = kept(place / "r.db")
    assert any("the worst at" in row[4] for row in before), before
    judge_anew(place, "r.db")
    assert kept(place / "r.db") == before
    run(["results", "export", "p1", "-o", "p.json", f"--store={place}/r.db"], cwd=place).check(0)
    run(["results", "import", "./p.json", f"--store={place}/s.db"], cwd=place).check(0)
    judge_anew(place, "s.db")
    assert kept(place / "s.db") == before
    run(["results", "merge", f"{place}/s.db", f"--store={place}/t.db"], cwd=place).check(0)
    judge_anew(place, "t.db")
    assert kept(place / "t.db") == before


def test_a_plan_kept_before_runs_were_judged_is_no_pass(place):
    """Its figures do not tell what takes intervals apart; what they tell, they tell as then."""
    go(place, LONG % "default", STALLED, rc=1)
    with sqlite3.connect(place / "r.db") as store:
        store.execute("DELETE FROM plan_judged")
    judge_anew(place, "r.db")
    outcomes = {row[0]: row[1:] for row in kept(place / "r.db")}
    even = outcomes["share_max_within(5 x p50) >= 95% or max <= 5ms"]
    assert even[0] == "cannot tell" and "before a policy could judge" in even[3], even
    assert outcomes["count_over(200ms) == 0"][0] == "fail"
