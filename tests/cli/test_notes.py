"""Plausibility notes by whole commands: for each a run that provokes it, and its neighbour that
does not (doc/plausibility.md lists the ids; those that no rig here can provoke are tested on
made-up results in tests/result).
"""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rigs import realtime
from rigs.assay import FIO_FACE, Running, run
from rigs.loop import Loop, TruncatedLoop
from rigs.model import ModelDevice
from rigs.throttle import Throttle

MIB, MS = 1 << 20, 1_000_000


@dataclass(frozen=True)
class Pair:
    """Options that provoke the note, and those that do not; {f} is a file of 4 MiB of data."""

    provokes: str
    spares: str


NULL = "--ioengine=null --size=1g --time_based --runtime=1"
FILE = "--filename={f} --size=4m --ioengine=psync"
PAIRS = {
    "buffered": Pair(f"{FILE} --rw=read", f"{FILE} --rw=read --direct=1"),
    "few-samples": Pair(f"{FILE} --rw=read --number_ios=5", f"{NULL} --rw=read --runtime=2"),
    "fixed-seed": Pair(f"{FILE} --rw=randread --randseed=7", f"{FILE} --rw=randread"),
    "sequential-clones": Pair(
        f"{FILE} --rw=read --numjobs=2 --size=2m",
        f"{FILE} --rw=read --numjobs=2 --size=2m --offset_increment=2m",
    ),
    "depth-not-reached": Pair(
        "--filename={f} --size=4m --rw=randread --ioengine=libaio --iodepth=16",
        "--filename={f} --size=4m --rw=randread --ioengine=libaio --iodepth=1",
    ),
    "less-at-device": Pair(
        f"{FILE} --rw=read --bs=64k --io_size=64m --invalidate=0",
        f"{FILE} --rw=read --bs=64k --io_size=64m --direct=1",
    ),
    "memory-target": Pair(f"{NULL} --rw=read", f"{FILE} --rw=read --direct=1"),
    "latency-not-measured": Pair(f"{NULL} --rw=read --gtod_reduce=1", f"{NULL} --rw=read"),
    "behind-schedule": Pair(
        f"{NULL} --rw=read --rate_iops=100000000", f"{NULL} --rw=read --rate_iops=500"
    ),
    "repeated-data": Pair(
        "--filename={f}.own --size=1m --rw=write --zero_buffers=1",
        "--filename={f}.own --size=1m --rw=write",
    ),
    "write-limit": Pair(
        "--filename={f}.own --size=4m --rw=write --max-write=1m",
        "--filename={f}.own --size=1m --rw=write --max-write=1m",
    ),
    "within-cache": Pair(
        "--filename={f}.own --size=1m --rw=write --direct=1", f"{FILE} --rw=read --direct=1"
    ),
}


def notes(answer: Any) -> set[str]:
    return {note["id"] for note in answer["notes"]}


def assay_notes(args: list[str], **how: Any) -> set[str]:
    return notes(run(["run", "--format=json", "--name=j", *args], **how).json())


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Both must be built."""


@pytest.mark.parametrize("note", PAIRS)
@pytest.mark.parametrize("provoked", [True, False], ids=["provoked", "spared"])
def test_note(note: str, provoked: bool, scratch: Any) -> None:
    file = scratch.path / "data"
    file.write_bytes(os.urandom(4 * MIB))
    with open(file, "rb") as f:
        os.fsync(f.fileno())
    words = PAIRS[note].provokes if provoked else PAIRS[note].spares
    args = words.replace("{f}", str(file)).split()
    assert (note in assay_notes(args)) == provoked


@pytest.mark.parametrize("written", [False, True])
def test_holes(written: bool, scratch: Any) -> None:
    file = scratch.file("data", 4 * MIB, os.urandom(4 * MIB) if written else b"")
    found = assay_notes([f"--filename={file}", "--rw=read", "--size=4m", "--direct=1"])
    assert ("holes" in found) == (not written)


@pytest.mark.parametrize("written", [False, True])
def test_blocks_of_zeros(written: bool, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=4 * MIB)
    if written:
        with open(loop.dev, "wb") as device:
            device.write(os.urandom(4 * MIB))
    found = assay_notes([f"--filename={loop.dev}", "--rw=read", "--direct=1"])
    assert ("zero-blocks" in found) == (not written)


@pytest.mark.parametrize("rw", ["randread", "randrw"])
@pytest.mark.parametrize("written", [False, True])
def test_reads_of_a_blank_simulated_drive(written: bool, rw: str) -> None:
    drive = "--filename=sim:nvme-enterprise,size=64m"
    fill = [drive, "--rw=write", "--bs=128k", "--name=r", "--stonewall"]
    found = assay_notes([*(fill if written else []), drive, f"--rw={rw}", "--number_ios=500"])
    assert ("unwritten-blocks" in found) == (not written)


@pytest.mark.parametrize("unequal", [True, False])
def test_unequal_times(unequal: bool, rig: Callable[..., Any]) -> None:
    """Two clones of one job, of which the second meets the device's end early."""
    loop = rig(Loop, size=4 * MIB)
    args = [f"--filename={loop.dev}", "--rw=read", "--bs=64k", "--numjobs=2", "--rate_iops=40"]
    args += ["--offset_increment=3m", "--size=4m"] if unequal else ["--size=1m"]
    assert ("unequal-times" in assay_notes([*args, "--group_reporting"])) == unequal


@pytest.mark.parametrize("fails", [True, False])
def test_errors(fails: bool, rig: Callable[..., Any]) -> None:
    loop = rig(TruncatedLoop, size=4 * MIB, keep=MIB)
    size = "4m" if fails else "1m"
    args = [f"--filename={loop.dev}", "--rw=read", "--direct=1", f"--size={size}"]
    assert ("io-errors" in assay_notes(args)) == fails


@pytest.mark.parametrize("stalls", [True, False])
def test_intervals_of_zero(stalls: bool, rig: Callable[..., Any]) -> None:
    device = rig(ModelDevice, service_ns=2 * MS)
    if stalls:
        device.stall(2.2, after_ops=200)
    args = [f"--filename={device.file}", "--rw=randread", "--time_based", "--runtime=4"]
    assert ("zero-intervals" in assay_notes([*args, "--direct=1"])) == stalls


@pytest.mark.parametrize("slow", [True, False])
def test_behind_schedule(slow: bool, rig: Callable[..., Any]) -> None:
    """A rate that the device cannot keep. Whether single arrivals are late depends on what else
    the machine does, and is not asked here.
    """
    loop = rig(Loop, size=8 * MIB)
    throttle = rig(Throttle, loop.dev, read_iops=100)
    args = [f"--filename={loop.dev}", "--rw=randread", "--direct=1", "--ioengine=libaio"]
    args += ["--iodepth=2", "--time_based", "--runtime=3", "--rate_iops=400"]
    found = assay_notes(args, under=[throttle.wrap if slow else realtime.fifo_if_allowed])
    assert ("behind-schedule" in found) == slow


@pytest.mark.parametrize("stopped", [True, False])
def test_interrupted(stopped: bool) -> None:
    words = ["run", "--format=json", "--name=j", "--ioengine=null", "--size=1g", "--rw=read"]
    words += ["--time_based", f"--runtime={20 if stopped else 1}"]
    with Running(words) as running:
        if stopped:
            signal.sigtimedwait([], 1.0)
            running.signal(signal.SIGTERM)
        result = running.finish(20)
    assert result.rc == (128 + signal.SIGTERM if stopped else 0)
    assert ("interrupted" in notes(result.json())) == stopped


def test_fio_face_carries_the_same_notes(scratch: Any) -> None:
    args = ["--name=j", "--rw=randread", "--size=1m", f"--directory={scratch.path}"]
    answer = run([*args, "--output-format=json"], program=FIO_FACE).check().json()
    found = {note["id"] for note in answer["assay"]["notes"]}
    assert {"buffered", "fixed-seed", "few-samples"} <= found
    text = run(args, program=FIO_FACE).check().out.splitlines()
    ours = [i for i, line in enumerate(text) if line.startswith("assay: ")]
    assert ours == list(range(ours[0], len(text)))
