"""Plausibility notes on the load and on how a run went, by whole commands: each by a run that provokes
it and by its neighbour that does not.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import FIO_FACE, Running, run
from rigs.filesystem import FileSystem, FullFileSystem
from rigs.loop import Loop
from rigs.model import ModelDevice
from rigs.zram import Zram

MIB, MS = 1 << 20, 1_000_000
NULL = ["--ioengine=null", "--size=1g", "--rw=randread", "--time_based"]
RATED = [*NULL, "--rate_iops=1000"]


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Both must be built."""


def command(*args: str) -> list[str]:
    return ["run", "--format=json", "--name=j", *args]


def notes(answer: Any) -> dict[str, str]:
    return {note["id"]: note["text"] for note in answer["notes"]}


def found(*args: str, **how: Any) -> dict[str, str]:
    return notes(run(command(*args), **how).json())


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("full", [True, False])
def test_the_mix(full: bool, rig: Callable[..., Any]) -> None:
    """Writes into holes of a file on a full disk fail, and are ignored: reads are left."""
    fs = rig(FullFileSystem) if full else rig(FileSystem, "tmpfs", 16 * MIB)
    file = fs.path / "f"
    with open(file, "wb") as sparse:
        sparse.truncate(4 * MIB)
    args = [f"--filename={file}", "--rw=randrw", "--ioengine=psync", "--io_size=16m",
            "--norandommap", "--ignore_error=,ENOSPC", f"--destroy={file}"]  # fmt: skip
    assert ("mix-not-met" in found(*args)) == full


@pytest.mark.parametrize("empty", [True, False])
def test_nothing_done(empty: bool) -> None:
    args = [*RATED, "--runtime=20", "--ramp_time=10"] if empty else [*RATED, "--runtime=20"]
    with Running(command(*args)) as running:
        time.sleep(1)
        running.signal(signal.SIGINT)
        answer = running.finish(20).json()
    assert ("zero-io" in notes(answer)) == empty


@pytest.mark.parametrize("depth", [1, 64])
def test_late_arrivals(depth: int) -> None:
    """Virtual time: reads of 2 ms, 300 a second by Poisson; one at a time they queue up."""
    args = ["--filename=sim:nvme-enterprise,size=64m,read_latency=2ms,seed=1", "--rw=randread",
            "--ioengine=sim", f"--iodepth={depth}", "--rate_iops=300", "--rate_process=poisson",
            "--time_based", "--runtime=20"]  # fmt: skip
    assert ("late-arrivals" in found(*args)) == (depth == 1)


@pytest.mark.parametrize(("credits", "two"), [(100000, True), (10**9, False)])
def test_two_levels(credits: int, two: bool) -> None:
    """A cloud volume that bursts from 2,600 to 5,000 IOPS, for 41.7 s or past the end."""
    args = [f"--filename=sim:cloud-efficient-100g,iops_burst=5000,iops_credits={credits}",
            "--rw=randread", "--iodepth=128", "--time_based", "--runtime=100"]  # fmt: skip
    seen = found(*args)
    assert ("two-levels" in seen) == two
    if two:
        assert seen["two-levels"].startswith("41.7 s at 5,000 IOPS, then 2,600")
        assert "100,000 requests above" in seen["two-levels"]


@pytest.mark.parametrize("empty", [True, False])
def test_littles_law(empty: bool, rig: Callable[..., Any]) -> None:
    """Before each write of 4 MiB its content is made, and writing it to nowhere takes no time: most
    of the time nothing is in flight. On a device that takes its time one request always is.
    """
    args = ["--filename=/dev/null", "--size=256m", "--bs=4m", "--rw=write"]
    if not empty:
        device = rig(ModelDevice, service_ns=2 * MS)
        args = [f"--filename={device.file}", "--size=1m", "--rw=read", "--direct=1"]
    assert ("littles-law" in found(*args, "--ioengine=psync")) == empty


@pytest.mark.parametrize("stopped", [True, False])
def test_joined_rows(stopped: bool) -> None:
    """The control plane is held up while its worker, a process, goes on."""
    with Running(command(*RATED, "--thread=0", "--runtime=2", "--interval=200ms")) as running:
        time.sleep(0.7)
        if stopped:
            running.signal(signal.SIGSTOP)
            time.sleep(1)
            running.signal(signal.SIGCONT)
        answer = running.finish(20).check().json()
    assert ("rows-joined" in notes(answer)) == stopped


@pytest.mark.parametrize("killed", [True, False])
def test_a_worker_that_dies(killed: bool) -> None:
    args = [*RATED, "--thread=0", "--numjobs=2", "--runtime=2"]
    with Running(command(*args)) as running:
        time.sleep(1)
        workers = children(running.pid)
        assert len(workers) == 2
        if killed:
            os.kill(workers[0], signal.SIGKILL)
        result = running.finish(20).check(3 if killed else 0)
    answer = result.json()
    assert ("worker-died" in notes(answer)) == killed
    if killed:
        assert "SIGKILL" in notes(answer)["worker-died"]
        assert answer["groups"][0]["read"]["ios"] > 1000  # what it had counted is kept


@pytest.mark.parametrize("cut", [True, False])
def test_short_transfers(cut: bool, scratch: Any) -> None:
    """The file loses its second half and a bit during the run: one block ends early."""
    file = scratch.file("data", 64 * 1024, os.urandom(64 * 1024))
    args = [f"--filename={file}", "--rw=randread", "--ioengine=psync", "--time_based",
            "--runtime=2", "--rate_iops=500", "--continue_on_error=all"]  # fmt: skip
    with Running(command(*args)) as running:
        time.sleep(1)
        if cut:
            os.truncate(file, 32 * 1024 + 1000)
        answer = running.finish(20).check(3 if cut else 0).json()
    assert ("short-transfers" in notes(answer)) == cut


@pytest.mark.parametrize("missing", [True, False])
def test_a_job_that_fails(missing: bool, scratch: Any) -> None:
    """The second job's file has gone when its turn comes."""
    file = scratch.file("data", 64 * 1024, os.urandom(64 * 1024))
    args = [*RATED, "--runtime=1", "--name=k", "--stonewall", f"--filename={file}", "--rw=read",
            "--ioengine=psync", "--size=64k", "--allow_file_create=0", "--rate_iops=0",
            "--time_based=0"]  # fmt: skip
    with Running(command(*args)) as running:
        time.sleep(0.5)
        if missing:
            file.unlink()
        answer = running.finish(20).check(3 if missing else 0).json()
    assert ("job-failed" in notes(answer)) == missing
    assert ("not-started" in notes(answer)) == missing


@pytest.mark.parametrize("others", [True, False])
def test_more_at_the_device(others: bool, rig: Callable[..., Any]) -> None:
    zram = rig(Zram)
    args = [f"--filename={zram.dev}", "--rw=randread", "--direct=1", "--ioengine=psync",
            "--time_based", "--rate_iops=300"]  # fmt: skip
    load = ["fio", "--name=other", *args, "--rate_iops=3000", "--runtime=20"]
    with Running(load if others else ["--version"]) as running:
        time.sleep(0.3)
        answer = run(command(*args, "--runtime=2")).check().json()
        running.kill()
    assert ("more-at-device" in notes(answer)) == others


@pytest.mark.parametrize("others", [True, False])
def test_others_at_a_loop_device(others: bool, rig: Callable[..., Any]) -> None:
    """Its file's disk has other work; writes beside a run that only reads, and take no lock."""
    loop = rig(Loop, size=64 << 20)
    args = [f"--filename={loop.dev}", "--rw=randread", "--direct=1", "--ioengine=psync",
            "--time_based", "--rate_iops=300"]  # fmt: skip
    load = ["fio", "--name=other", *args, "--rw=randwrite", "--rate_iops=3000", "--runtime=20"]
    with Running(load if others else ["--version"]) as running:
        time.sleep(0.3)
        answer = run(command(*args, "--runtime=2")).check().json()
        running.kill()
    texts = [note["text"] for note in answer["notes"] if note["id"] == "more-at-device"]
    assert any("through the target" in text for text in texts) == others


@pytest.mark.parametrize("options", ["compress=zstd", ""])
def test_a_file_system_that_compresses(options: str, rig: Callable[..., Any]) -> None:
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("no mkfs.btrfs")
    fs = rig(FileSystem, "btrfs", 256 * MIB, options=options)
    args = [f"--filename={fs.path}/f", "--size=1m", "--rw=write", "--ioengine=psync"]
    assert ("file-system-compresses" in found(*args)) == bool(options)


def share_of_a_core() -> float:
    """What a bare loop gets of a core for a second, in per cent: less, where others want it too."""
    begin, used = time.monotonic(), time.process_time()
    while time.monotonic() - begin < 1:
        pass
    return 100 * (time.process_time() - used) / (time.monotonic() - begin)


@pytest.mark.parametrize("busy", [True, False])
def test_the_generators_core(busy: bool) -> None:
    """A core that others share is not used up by the worker: then nothing is to be seen."""
    share = 0.0
    for _ in range(4):
        rate = [] if busy else ["--rate_iops=100"]
        under = [lambda argv: ["nice", "-n", "-20", *argv]] if os.geteuid() == 0 else []
        answer = run(command(*NULL, *rate, "--runtime=1"), under=under).check().json()
        share = answer["groups"][0]["cpu"]["core_busy_max_percent"]
        assert ("generator-bound" in notes(answer)) == (share > 95)
        if not busy or share > 95:
            break
    if busy and share <= 95 and share_of_a_core() <= 97:
        pytest.skip("others share this machine's cores: a bare loop gets no whole one either")
    assert busy == (share > 95)


@pytest.mark.parametrize("shown", [1, 0])
def test_the_note_on_utilisation(shown: int, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=4 * MIB)
    args = ["--name=j", f"--filename={loop.dev}", "--rw=read", f"--disk_util={shown}",
            "--output-format=json"]  # fmt: skip
    answer = run(args, program=FIO_FACE).check().json()
    assert ("disk-util" in notes(answer["assay"])) == bool(shown)
