"""assay quick from a user's side: what it writes, what stops it, what it says at its end."""

import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import Running, run
from rigs.loop import Loop

CELL = "--cells=RND4K-Q1T1"
SHORT = "--time=100ms"


def bytes_of(page: str) -> float:
    found = re.search(r"^written\s+([\d.]+) (kB|MB|GB)$", page, re.MULTILINE)
    assert found, page
    return float(found[1]) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[found[2]]


def test_a_blank_device_is_written_by_all_cells_without_consent(rig: Any, assay: Path) -> None:
    device = rig(Loop, size=64 << 20)
    args = ["quick", device.dev, "--write", SHORT, "--cells=SEQ1M-Q1T1,RND4K-Q1T1",
            "--format=json"]  # fmt: skip
    assert len(run(args).check().json()["runs"]) == 6


def test_data_of_others_still_needs_consent(rig: Any, assay: Path) -> None:
    device = rig(Loop, size=64 << 20)
    with open(device.dev, "r+b") as file:
        file.write(b"somebody's only copy of a long novel")
    run(["quick", device.dev, "--write", SHORT, CELL]).check(5)
    assert Path(device.dev).open("rb").read(10) == b"somebody's"


def test_readonly_wins_over_write(rig: Any, assay: Path) -> None:
    device = rig(Loop, size=64 << 20)
    answer = run(["quick", device.dev, SHORT, CELL, "--write", "--readonly"]).check(4)
    assert "--readonly" in answer.err
    run(["quick", device.dev, SHORT, CELL, "--readonly"]).check()
    assert not any(Path(device.dev).read_bytes())


def test_the_test_file_counts_for_max_write(scratch: Any, assay: Path) -> None:
    answer = run(["quick", scratch.path, SHORT, CELL, "--size=32m", "--max-write=1m"]).check(4)
    assert "--max-write" in answer.err and "--size" in answer.err
    assert not list(scratch.path.iterdir())


def test_what_the_ramp_writes_counts_as_written(rig: Any, assay: Path) -> None:
    device = rig(Loop, size=64 << 20)
    sectors = Path("/sys/block") / device.name / "stat"
    before = int(sectors.read_text().split()[6])
    page = run(["quick", device.dev, "--write", SHORT, CELL]).check().out
    moved = 512 * (int(sectors.read_text().split()[6]) - before)
    assert abs(bytes_of(page) - moved) <= 0.01 * moved, page


def test_a_simulated_drives_log_is_of_all_cells(scratch: Any, assay: Path) -> None:
    """Each cell has a fresh drive: the first one's log held reads alone."""
    page = run(["quick", "sim:sata-enterprise,scale=1000", "--time=100ms", "--no-report",
                "--cells=RND4K-Q32T1,RND4K-Q1T1"], cwd=scratch.path).check().out  # fmt: skip
    logged = re.search(r"drive's log +[0-9.]+ [kMG]B read, ([0-9.]+ [kMG]?B) written", page)
    assert logged and logged[1] == re.search(r"\nwritten +([0-9.]+ [kMG]?B)", page)[1], page


def test_max_write_holds_over_all_cells(rig: Any, assay: Path) -> None:
    device = rig(Loop, size=64 << 20, ram=True)
    sectors = Path("/sys/block") / device.name / "stat"
    before = int(sectors.read_text().split()[6])
    run(["quick", device.dev, "--write", SHORT, "--max-write=16m"]).check()
    assert 512 * (int(sectors.read_text().split()[6]) - before) <= 16 << 20


@pytest.mark.parametrize("wait_ms", range(20, 400, 20))
def test_no_signal_is_lost_between_two_runs(scratch: Any, assay: Path, wait_ms: int) -> None:
    with Running(["quick", scratch.path, SHORT, "--size=64m"]) as running:
        time.sleep(wait_ms / 1000)
        running.signal(signal.SIGTERM)
        begin = time.monotonic()
        answer = running.finish(20)
    assert answer.rc in (128 + signal.SIGTERM, -signal.SIGTERM), answer
    assert time.monotonic() - begin < 3
    assert not list(scratch.path.iterdir())


def test_a_limit_of_file_size_is_an_error_and_leaves_nothing(scratch: Any, assay: Path) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    for args in (["quick", str(scratch.path), SHORT, CELL],
                 ["run", "--name=j", f"--filename={scratch.path}/f", "--size=4m", "--rw=write"]):
        child = subprocess.run(
            [assay, *args], preexec_fn=limited, capture_output=True, text=True, check=False,
            env={**os.environ, "XDG_DATA_HOME": str(scratch.path / "data")},
        )  # fmt: skip
        assert child.returncode in (3, 6), child.stderr
        assert not list(scratch.path.glob("assay-quick*"))


@pytest.mark.parametrize("command", ["quick", "run", "targets", "sim", "log"])
def test_help_of_a_command_is_one_flag_away(assay: Path, command: str) -> None:
    answer = run([command, "--help"]).check()
    assert f"usage: assay {command}" in answer.out


@pytest.mark.long_cpu
def test_thousands_of_workers_end_soon_and_well(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", size=16 << 20)
    args = ["run", "--format=json", "--name=j", f"--filename={path}", "--size=16m",
            "--rw=randread", "--bs=4k", "--numjobs=2000", "--runtime=1s", "--time_based"]  # fmt: skip
    begin = time.monotonic()
    group = run(args, timeout=30).check().json()["groups"][0]
    assert group["members"] == 2000 and group["read"]["ios"] >= 2000
    assert time.monotonic() - begin < 20


def test_a_worker_uses_no_more_than_its_core(scratch: Any, assay: Path) -> None:
    """Filling the buffers before the start is no cost of the load: of a short run it is most."""
    path = scratch.file("f", size=64 << 20)
    group = run(["run", "--format=json", "--name=j", f"--filename={path}", "--size=32m",
                 "--rw=write", "--bs=1m", f"--destroy={path}", "--ioengine=libaio",
                 "--iodepth=64"]).check().json()["groups"][0]  # fmt: skip
    cpu = group["cpu"]
    assert cpu["user_ns"] + cpu["system_ns"] <= 1.005 * group["write"]["runtime_ns"]
    assert cpu["core_busy_max_percent"] <= 100
    assert group["engine"].startswith("libaio")


def test_a_closed_stdout_is_an_error_before_the_run(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", size=1 << 20)
    args = ["run", "--name=j", f"--filename={path}", "--rw=read", "--bs=4k"]

    def closed(argv: Any) -> list[str]:
        return ["sh", "-c", 'exec "$0" "$@" >&-', *map(str, argv)]

    answer = run(args, under=[closed]).check(6)
    assert "-o FILE" in answer.err
    report = scratch.path / "report"
    run([*args, "-o", str(report)], under=[closed]).check()
    assert "what was measured" in report.read_text()
