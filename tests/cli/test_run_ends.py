"""How runs end: devices that hang or vanish, full disks, limits, signals. The report always comes,
and nothing of ours is left.
"""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import Running, run
from rigs.filesystem import FileSystem
from rigs.model import ModelDevice

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def job(path: Path | str, *more: str) -> list[str]:
    return ["run", "--format=json", "--name=j", f"--filename={path}", "--bs=4k", *more]


def notes(answer: Any) -> list[str]:
    return [note["id"] for note in answer["notes"]]


@pytest.mark.parametrize("engine", ["psync", "libaio", "io_uring"])
def test_a_hanging_device_is_given_up_and_its_requests_are_listed(
    rig: Any, assay: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a worker that was given up still holds is left on purpose: no leak.
    monkeypatch.setenv("LSAN_OPTIONS", "detect_leaks=0")
    device = rig(ModelDevice, latency_ns=300_000)
    depth = 1 if engine == "psync" else 4
    args = job(device.file, "--size=64m", "--rw=randread", "--direct=1", f"--ioengine={engine}",
               f"--iodepth={depth}", "--time_based", "--runtime=2s", "--drain=1s")  # fmt: skip
    with Running(args, output={}) as running:
        time.sleep(1)
        device.hang()
        out = running.child.stdout
        assert out
        begin = time.monotonic()
        # The process itself cannot die before the device answers: the report must not wait for it.
        text = os.read(out.fileno(), 1 << 20)
        assert time.monotonic() - begin < 5
        device.resume()
        rest = running.finish(20)
    import json

    answer = json.loads(text.decode() + rest.out)
    assert rest.rc == 3
    group = answer["groups"][0]
    assert len(group["unfinished"]) == depth
    assert all(u["age_ns"] >= 1_500_000_000 for u in group["unfinished"])
    assert "unfinished" in notes(answer)
    assert group["read"]["latency"]["service"]["max_ns"] >= 1_500_000_000


@pytest.mark.parametrize("engine", ["psync", "libaio", "io_uring"])
def test_a_device_that_vanishes_ends_the_job_with_its_error(
    rig: Any, assay: Path, engine: str
) -> None:
    device = rig(ModelDevice, latency_ns=300_000)
    args = job(device.file, "--size=64m", "--rw=randread", "--direct=1", f"--ioengine={engine}",
               "--time_based", "--runtime=20s")  # fmt: skip
    with Running(args) as running:
        time.sleep(1)
        device.vanish()
        answer = running.finish(10).check(3).json()
    group = answer["groups"][0]
    assert group["read"]["ios"] > 0
    assert group["first_error"]["errno"] != 0
    assert "io-errors" in notes(answer)


def test_an_error_at_the_nth_request_is_counted_and_named(rig: Any, assay: Path) -> None:
    device = rig(ModelDevice)
    args = job(device.file, "--size=1m", "--rw=read", "--direct=1", "--ioengine=psync",
               "--continue_on_error=all")  # fmt: skip
    run(job(device.file, "--size=1m", "--rw=read", "--direct=1", "--ioengine=psync")).check()
    device.fail_every(64 + 100, 5)  # 64 blocks are looked at before the run
    answer = run(args).check(3).json()
    group = answer["groups"][0]
    assert group["read"]["errors"] == 1
    assert group["read"]["ios"] + group["read"]["errors"] == 256
    assert group["first_error"]["errno"] == 5
    assert group["first_error"]["offset_bytes"] == 99 * 4096
    device.fail_every(64 + 100, 5)
    run([*args, "--ignore_error=EIO"]).check()  # errors that are none


@pytest.mark.parametrize("face", ["run", "fio"])
def test_a_full_disk_fails_and_leaves_nothing(rig: Any, assay: Path, face: str) -> None:
    fs = rig(FileSystem, "tmpfs", 8 << 20)
    before = sorted(os.listdir(fs.path))
    args = ["--name=j", f"--filename={fs.path}/new", "--bs=4k", "--size=64m", "--rw=read",
            "--ioengine=psync"]  # fmt: skip
    result = run([face, *args])
    result.check(6 if face == "run" else 1)
    assert "space" in result.err or "free" in result.err
    assert sorted(os.listdir(fs.path)) == before


def test_unlink_removes_the_file_at_the_end(scratch: Any, assay: Path) -> None:
    path = scratch.path / "new"
    run(job(path, "--size=1m", "--rw=write", "--ioengine=psync", "--unlink=1")).check()
    assert not path.exists()
    run(job(path, "--size=1m", "--rw=write", "--ioengine=psync")).check()
    assert path.exists()


@pytest.mark.parametrize("workers", [1, 3])
def test_max_write_is_a_hard_stop(scratch: Any, assay: Path, workers: int) -> None:
    path = scratch.path / "new"
    args = job(path, "--size=8m", "--rw=randwrite", "--ioengine=psync", "--time_based",
               "--runtime=10s", "--max-write=1m", f"--numjobs={workers}")  # fmt: skip
    answer = run(args).check().json()
    group = answer["groups"][0]
    written = sum(row["write"]["bytes"] for row in answer["series"] if "write" in row)
    assert written <= 1 << 20
    assert written >= (1 << 20) - 4096 * workers
    assert group["stopped_by_write_limit"]
    assert "write-limit" in notes(answer)


def signal_after(args: list[str], seconds: float, number: int) -> Any:
    with Running(args) as running:
        time.sleep(seconds)
        running.signal(number)
        return running.finish(10)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_in_the_run_gives_the_report(scratch: Any, assay: Path, number: int) -> None:
    path = scratch.path / "new"
    args = job(path, "--size=1m", "--rw=randread", "--ioengine=psync", "--time_based",
               "--runtime=30s", "--unlink=1", "--rate_iops=1000")  # fmt: skip
    answer = signal_after(args, 1, number).check(128 + number).json()
    assert answer["interrupted"] and answer["signal"] == number
    assert answer["groups"][0]["read"]["ios"] > 100
    assert not path.exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_in_the_ramp_gives_the_report(scratch: Any, assay: Path, number: int) -> None:
    path = scratch.path / "new"
    args = job(path, "--size=1m", "--rw=randread", "--ioengine=psync", "--time_based",
               "--runtime=30s", "--unlink=1", "--ramp_time=20s", "--rate_iops=1000")  # fmt: skip
    answer = signal_after(args, 1, number).check(128 + number).json()
    assert answer["interrupted"]
    assert answer["groups"][0]["read"]["ios"] == 0
    assert not path.exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_in_the_layout_leaves_no_file(scratch: Any, assay: Path, number: int) -> None:
    path = scratch.path / "new"
    args = job(path, "--size=30g", "--rw=randread", "--ioengine=psync", "--fallocate=none")
    result = signal_after(args, 0.3, number).check(128 + number)
    assert not path.exists(), result


def test_a_signal_in_the_drain_does_not_wait_for_its_end(rig: Any, assay: Path) -> None:
    device = rig(ModelDevice, latency_ns=300_000)
    args = job(device.file, "--size=64m", "--rw=randread", "--direct=1", "--ioengine=libaio",
               "--iodepth=4", "--time_based", "--runtime=1s", "--drain=20s")  # fmt: skip
    with Running(args) as running:
        time.sleep(0.7)
        device.stall(3)
        time.sleep(1)
        running.signal(signal.SIGINT)
        result = running.finish(10)
    answer = result.check(128 + signal.SIGINT).json()
    assert answer["interrupted"]


def test_a_disk_that_fills_during_the_run_is_an_error_with_a_report(rig: Any, assay: Path) -> None:
    fs = rig(FileSystem, "tmpfs", 8 << 20)
    args = ["--name=j", f"--filename={fs.path}/new", "--bs=64k", "--size=16m", "--rw=write",
            "--ioengine=psync", "--fallocate=none", "--output-format=json"]  # fmt: skip
    answer = run(["fio", *args]).check(1).json()
    assert answer["jobs"][0]["error"] == 28
    assert 0 < answer["jobs"][0]["write"]["io_bytes"] <= 8 << 20
