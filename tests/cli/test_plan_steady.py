"""Steady state and saturation as plans find them, against the truth of the simulated drives."""

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rigs.assay import run


@pytest.fixture
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins, and disks of CI are slow at that."""
    folder = tempfile.mkdtemp(prefix="assay-plan-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def go(place: Path, *args: str, rc: int = 0) -> str:
    env = {"XDG_DATA_HOME": str(place / "data"), "XDG_STATE_HOME": str(place / "state")}
    command = ["plan", "run", *args, f"--store={place}/r.db", "--no-report"]
    return run(command, cwd=place, env=env).check(rc).out


def rounds(place: Path, step: str) -> list[float]:
    """IOPS of the last plan's rounds, of its only cell."""
    with sqlite3.connect(place / "r.db") as db:
        return [row[0] for row in db.execute(
            "SELECT f.ios_per_s FROM plan_cells c JOIN plan_figures f USING (plan_id, number)"
            " WHERE c.step_name = ? AND f.direction = 'all'"
            " AND c.plan_id = (SELECT max(id) FROM plans) ORDER BY number", (step,))]  # fmt: skip


MODEL = """[variables]
seed=1
time=60ms
until=steady(iops)
[global]
direct=1
norandommap
[fill]
step=fill
[write]
step=rounds
rw=randwrite
bs=4k
iodepth=32
randseed=${seed}
runtime=${time}
time_based
until=${until}
max_rounds=16
"""
SEEDS = range(1, 4)


def first_steady(values: list[float]) -> int:
    """SNIA's rule in its own words: the first round that ends a window of five."""
    for end in range(5, len(values) + 1):
        y = values[end - 5 : end]
        mean = sum(y) / 5
        slope = sum((i - 2) * (v - mean) for i, v in enumerate(y)) / 10
        if max(y) - min(y) <= 0.2 * mean and abs(slope) * 4 <= 0.1 * mean:
            return end
    raise AssertionError(values)


# Each profile, scaled so that the rule has something to wait for: how long a round is, and whether
# IOPS fall from new to steady. Caches of a scaled drive are as large as ever, so they are cut.
DRIVES = [
    ("pcie-mlc-1.2t,op=12%,cache=1m,scale=1000", "60ms", True),
    ("nvme-enterprise,cache=1m,scale=2000", "60ms", True),
    ("sata-enterprise,cache=1m,scale=1000", "150ms", True),
    ("sata-consumer,cache=1m,scale=500", "60ms", True),
    ("sata-tlc-128g,scale=200", "150ms", True),
    ("hdd-7200-raid0,scale=2000", "1s", False),
    ("cloud-efficient-100g,scale=1000", "60ms", False),
    ("cloud-ssd-100g,scale=1000", "60ms", False),
]


@pytest.mark.parametrize(("drive", "time", "falls"), DRIVES, ids=[d[0].split(",")[0] for d in DRIVES])
def test_steady_state_is_declared_where_the_model_reaches_it(place, drive, time, falls):
    """The curve without noise is the mean of three drives (seeds 1 to 3); no window of 16 ends it."""
    (place / "model.plan").write_text(MODEL)
    curves, declared = [], []
    for seed in SEEDS:
        args = ["./model.plan", f"sim:{drive},seed={seed}", f"--set=seed={seed}", f"--set=time={time}"]
        go(place, *args, "--set", "until=steady(iops, window=16, range=0.01%)")
        curves.append(rounds(place, "write"))
        go(place, *args)
        declared.append(len(rounds(place, "write")))
    assert {len(c) for c in curves} == {16}
    truth = first_steady([sum(values) / len(values) for values in zip(*curves, strict=True)])
    assert (truth > 6) == falls
    assert all(abs(d - truth) <= 1 for d in declared), (truth, declared)


def model_rates(drive: str, span_ms: float, interval_ms: int) -> list[float]:
    """Writes a second of one run without rounds: the model itself."""
    document = run(["run", "--name=j", f"--filename={drive}", "--rw=randwrite", "--bs=4k",
                    "--numjobs=4", "--iodepth=32", "--norandommap", "--group_reporting",
                    f"--runtime={span_ms:.0f}ms", "--time_based", f"--interval={interval_ms}ms",
                    "--format=json", "--no-store"]).check().json()  # fmt: skip
    return [row["write"]["ios"] * 1000 / interval_ms for row in document["series"]]


@pytest.mark.parametrize("drive", [
    "sim:pcie-mlc-1.2t,cache=256k,scale=2000",
    "sim:nvme-enterprise,cache=256k,scale=4000",
])  # fmt: skip
def test_write_saturation_finds_plateau_and_level(place, drive):
    """To 2 %, against the model: its rows of 5 ms at first, and its level long after."""
    out = go(place, "pts-wsat", drive, "--set", "time=200ms", "--set", "stride=10",
             "--set", "fills=100", "--set", "histogram=100ms")  # fmt: skip
    found = re.search(r"As new: ([\d,]+) iops for ([\d.]+) rounds, until ([\d.]+) ([MG])B.*"
                      r"Level: ([\d,]+),.*from round (\d+)", out.replace("\n", " "))  # fmt: skip
    assert found, out
    plateau, level = (float(found[i].replace(",", "")) for i in (1, 5))
    written = float(found[3]) * {"M": 1e6, "G": 1e9}[found[4]]
    count = len(rounds(place, "saturation"))
    long_after = model_rates(drive, 1.5 * count * 200, 100)[-count // 2 : -1]
    truth = sum(long_after) / len(long_after)
    assert abs(level - truth) <= 0.02 * truth, (level, truth)
    # The plateau ends where its mean is lost for good.
    rates, end, before = model_rates(drive, 2000, 5), 0, 0.0
    while end < 20 or max(rates[end : end + 4]) >= 0.9 * before / end:
        before += rates[end]
        end += 1
    truth = end * 5 / 200
    assert abs(float(found[2]) - truth) <= 0.02 * truth, (found[0], truth)
    assert abs(plateau - before / end) <= 0.02 * plateau, (plateau, before / end)
    assert abs(written - before * 0.005 * 4096) <= 0.02 * written, found[0]


def test_write_saturation_ends_when_four_times_the_capacity_is_written(place):
    """Where it is not steady before: this window is longer than that."""
    drive = "sim:pcie-mlc-1.2t,cache=256k,scale=4000"
    out = go(place, "pts-wsat", drive, "--set", "time=400ms", "--set", "stride=80",
             "--set", "rounds=360", "--set", "histogram=100ms")  # fmt: skip
    with sqlite3.connect(place / "r.db") as db:
        written = [row[0] for row in db.execute(
            "SELECT written_bytes FROM plan_cells WHERE step_name = 'saturation' ORDER BY number")]
        size = db.execute("SELECT json_extract(targets, '$[0].size_bytes') FROM plans").fetchone()[0]
    assert sum(written[:-1]) < 4 * size <= sum(written)
    assert re.search(r"not steady after \d+ rounds, which wrote 4\.\d+ x the target", " ".join(out.split()))
