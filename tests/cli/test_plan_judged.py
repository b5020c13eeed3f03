"""What a plan's checks say: of intervals in which nothing came back, and of a soak's slices."""

import json
import shutil
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
