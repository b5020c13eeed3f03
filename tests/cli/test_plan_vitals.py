"""Temperatures and loads of all runs of a plan, on the plan's time: bounded, and nothing is lost."""

import csv
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rigs.assay import run

DAY = """
[plan]
title=A day
[global]
time_based
bs=4k
[read]
step=run
rw=randread
rate_iops=1
runtime=12h
[write]
step=run
rw=randwrite
rate_iops=2
runtime=12h
"""
DAY_S = 24 * 3600


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="assay-vitals-", dir="/dev/shm")
    plan = Path(folder) / "day.plan"
    plan.write_text(DAY)
    db = f"--store={folder}/db"
    run(["plan", "run", plan, "sim:nvme-enterprise,size=1g", db, "--no-report"]).check(0)
    yield db
    shutil.rmtree(folder)


def lines_of(page: str, title: str) -> list[tuple[float, float]]:
    rows = csv.reader(page[page.index(title) :].split("\n\n")[0].splitlines()[2:])
    return [(float(row[0]), float(row[1])) for row in rows if row[1]]


def test_a_day_is_drawn_whole_and_bounded(store):
    page = run(["report", "@plan", store, "--format=csv"]).check(0).out
    sql = "SELECT min(value), max(value), count(*) FROM vitals WHERE kind = 'temperature'"
    least, greatest, count = map(float, run(["results", "sql", store, sql]).check(0).out.split("\n")[1].split())
    assert count >= DAY_S - 4
    drawn = lines_of(page, "Temperature of the drives (simulated)")
    assert 1400 <= len(drawn) <= 1440
    assert min(y for _, y in drawn) == pytest.approx(least, abs=1e-4)
    assert max(y for _, y in drawn) == pytest.approx(greatest, abs=1e-4)
    assert 0 < drawn[0][0] < 120 and DAY_S - 120 < drawn[-1][0] < DAY_S + 120


def test_what_each_run_did_stands_on_the_same_time(store):
    rates = lines_of(run(["report", "@plan", store, "--format=csv"]).check(0).out, "IOPS of each run")
    assert 1400 <= len(rates) <= 1440
    for at, value in rates:
        assert abs(at - DAY_S / 2) < 120 or value == pytest.approx(1 if at < DAY_S / 2 else 2, rel=0.01)


def test_its_charts_move_together_and_apart_from_others(store, scratch):
    file = Path(scratch.path) / "page.html"
    run(["report", "@plan", store, "-o", file]).check(0)
    page = file.read_text()
    assert len(page) < 1_000_000
    charts = {
        found[0]: json.loads(found[1])
        for found in re.findall(r'<figure id="([^"]+)"(?:(?!</figure>).)*?<script type="application/json">(.*?)</script>',
                                page, re.S)
    }  # fmt: skip
    assert {name for name, chart in charts.items() if chart["axis"] == "plan"} == {"plan-iops", "plan-temperature"}
    for chart in charts.values():
        assert chart["axis"] in ("plan", "") and chart["x"]["high"] <= DAY_S + 2
    shown = run(["results", "show", "@plan", store]).check(0).out
    assert "Temperature of the drives" not in shown
