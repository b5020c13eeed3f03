"""Rows of the series: on the grid, zeros where nothing came back, and the totals are their sum."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import Running, run
from rigs.model import ModelDevice
from rigs.scratch import RamScratch

ENGINES = ["psync", "sync", "pvsync2", "libaio", "io_uring", "posixaio"]
INTERVAL_NS = 100_000_000


def job(path: Path | str, *more: str) -> list[str]:
    head = ["run", "--format=json", "--name=j", f"--filename={path}", "--bs=4k"]
    return [*head, "--interval=100ms", *more]


def sums(rows: list[Any], direction: str = "read") -> tuple[int, int]:
    picked = [row[direction] for row in rows if direction in row]
    return sum(d["ios"] for d in picked), sum(d["bytes"] for d in picked)


def on_the_grid(rows: list[Any]) -> None:
    for i, row in enumerate(rows):
        assert row["begin_ns"] == i * INTERVAL_NS
        if i + 1 < len(rows):
            assert row["end_ns"] == (i + 1) * INTERVAL_NS


def longest_run(numbers: list[int]) -> int:
    """How many follow one another without a gap."""
    longest = count = 0
    for at, number in enumerate(numbers):
        count = count + 1 if at and number == numbers[at - 1] + 1 else 1
        longest = max(longest, count)
    return longest


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stall_is_rows_of_zeros(rig: Any, assay: Path, engine: str) -> None:
    device = rig(ModelDevice, latency_ns=500_000)
    args = job(device.file, "--size=64m", "--rw=randread", "--direct=1", f"--ioengine={engine}",
               "--iodepth=4", "--time_based", "--runtime=4s")  # fmt: skip
    with Running(args) as running:
        time.sleep(1.2)
        device.stall(2.2)
        answer = running.finish().check().json()
    rows = answer["series"]
    on_the_grid(rows)
    idle = [i for i, row in enumerate(rows) if row.get("read", {"ios": 0})["ios"] == 0]
    # 2.2 s hold 21 whole intervals of 0.1 s at least; the run's last one may be empty too
    whole = [i for i in idle if not rows[i]["partial"]]
    # a busy machine may hold up a row or two elsewhere
    assert longest_run(whole) >= 20, rows
    read = answer["groups"][0]["read"]
    assert sums(rows) == (read["ios"], sum(r["read"]["bytes"] for r in rows if "read" in r))
    assert read["latency"]["service"]["max_ns"] >= 2_100_000_000
    assert "zero-intervals" in [note["id"] for note in answer["notes"]]


@pytest.mark.shared_cpu(5)
@pytest.mark.parametrize("how", ["--thread=1", "--thread=0"])
def test_totals_are_the_sum_of_rows(rig: Any, assay: Path, how: str) -> None:
    # in memory: on a disk that others keep busy 60 of the 1500 reads came back within the second
    path = rig(RamScratch).file("f", content=os.urandom(1 << 20))
    args = job(path, "--size=1m", "--rw=randread", "--ioengine=psync", "--time_based", how,
               "--runtime=1s", "--numjobs=3", "--rate_iops=500")  # fmt: skip
    answer = run(args).check().json()
    rows, group = answer["series"], answer["groups"][0]
    on_the_grid(rows)
    assert group["processes"] == (how == "--thread=0")
    assert group["members"] == 3
    assert sums(rows)[0] == group["read"]["ios"]
    assert sums(rows)[1] == 4096 * group["read"]["ios"]
    # three workers of 500 a second; what a busy machine delays comes later and not twice
    assert 1400 <= group["read"]["ios"] <= 1510


def test_rows_of_a_killed_worker_are_kept(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", content=os.urandom(1 << 20))
    args = job(path, "--size=1m", "--rw=randread", "--ioengine=psync", "--time_based",
               "--thread=0", "--runtime=5s", "--rate_iops=1000")  # fmt: skip
    with Running(args) as running:
        time.sleep(1.5)
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        assert len(children) == 1
        os.kill(int(children[0]), signal.SIGKILL)
        result = running.finish(10)
    answer = result.check(3).json()
    group = answer["groups"][0]
    assert group["killed_by_signal"] == signal.SIGKILL
    assert sums(answer["series"])[0] == group["read"]["ios"] >= 1000
    assert group["read"]["latency"]["service"]["samples"] == group["read"]["ios"]
    assert "worker-died" in [note["id"] for note in answer["notes"]]
