"""Figures against a truth that owes nothing to us: the kernel's block throttle, a device's own
log, errors at known places.
"""

import errno
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rigs import oracle, realtime
from rigs.assay import FIO_FACE, Result, Running, run
from rigs.filesystem import FullFileSystem
from rigs.held import wait_until
from rigs.loop import Loop, TruncatedLoop
from rigs.model import ModelDevice, percentile_ns
from rigs.throttle import Throttle

MIB, MS = 1 << 20, 1_000_000
# The throttle works in slices of 100 ms, and its first is a gift: 1 % of 10 s, half of that here.
SECONDS = 20
NOTES = "assay"


def fio_face(args: list[str], **how: Any) -> Result:
    return run(["--output-format=json", *args], program=FIO_FACE, **how)


@pytest.fixture(autouse=True)
def _programs(assay: Path) -> None:
    """Must be built."""


# Rates: the limit within 1 %

LIMITS = {
    "reads": ("--rw=randread --bs=4k --iodepth=8", {"read_iops": 700}, "read"),
    "writes": ("--rw=randwrite --bs=4k --iodepth=8", {"write_iops": 500}, "write"),
    "read bytes": ("--rw=read --bs=64k --iodepth=4", {"read_bps": 20 * MIB}, "read"),
    "write bytes": ("--rw=write --bs=64k --iodepth=4", {"write_bps": 10 * MIB}, "write"),
}


def one_limit(name: str, loop: Loop, throttle: Throttle) -> Any:
    words, _, _ = LIMITS[name]
    args = ["--name=j", f"--filename={loop.dev}", "--direct=1", "--ioengine=io_uring"]
    args += ["--time_based", f"--runtime={SECONDS}", *words.split()]
    return fio_face(args, under=[throttle.wrap]).check().json()["jobs"][0]


@pytest.mark.shared_cpu(3)
def test_limits_are_met_within_one_percent(rig: Callable[..., Any]) -> None:
    """All at once: they wait for the throttle, and not for each other."""
    beds = {}
    for name, (_, limits, _) in LIMITS.items():
        loop = rig(Loop, size=32 * MIB)
        beds[name] = (loop, rig(Throttle, loop.dev, **limits))
    with ThreadPoolExecutor(len(beds)) as pool:
        jobs = {name: pool.submit(one_limit, name, *bed) for name, bed in beds.items()}
    for name, (_, limits, direction) in LIMITS.items():
        found = jobs[name].result()[direction]
        (limit,) = limits.values()
        bytes_a_second = "bps" in next(iter(limits))
        rate = found["bw_bytes"] if bytes_a_second else found["iops"]
        assert rate == pytest.approx(limit, rel=0.01), name


# Latency: the device's own log


@pytest.mark.shared_cpu(3)
@pytest.mark.parametrize("engine", ["psync", "io_uring", "libaio"])
@pytest.mark.parametrize("depth", [1, 8])
def test_latency_is_the_devices(depth: int, engine: str, rig: Callable[..., Any]) -> None:
    if engine == "psync" and depth > 1:
        pytest.skip("psync has no depth")
    device = rig(ModelDevice, service_ns=5 * MS, servers=1)
    device.forget()
    args = ["--name=j", f"--filename={device.file}", "--rw=randread", "--direct=1"]
    args += [f"--ioengine={engine}", f"--iodepth={depth}", "--time_based", "--runtime=3"]
    args += ["--norandommap", "--percentile_list=50:99"]
    answer = fio_face(args, under=[realtime.fifo_if_allowed]).check().json()
    log = device.log()[-answer["jobs"][0]["read"]["total_ios"] :]
    for percent, bound in ((50, 0.05), (99, 0.20)):
        ours, theirs = oracle.clat_ns(answer, "read", percent), percentile_ns(log, percent)
        assert ours == pytest.approx(theirs, rel=bound), f"p{percent}"
    if oracle.why_not() is None:
        print(f"fio: p50 {oracle.clat_ns(oracle.jobs_json(oracle.fio(args)), 'read', 50)} ns")


# Arrivals


@pytest.mark.shared_cpu(5)
@pytest.mark.parametrize("process", ["linear", "poisson"])
def test_arrivals_keep_the_rate(process: str, rig: Callable[..., Any]) -> None:
    """An open loop: the device sees as many as asked, evenly or not, however it answers."""
    device = rig(ModelDevice, servers=8)
    args = ["--name=j", f"--filename={device.file}", "--rw=randwrite", "--direct=1"]
    args += ["--ioengine=io_uring", "--iodepth=32", "--rate_iops=1000", "--time_based"]
    device.forget()
    args += [f"--rate_process={process}", "--runtime=4"]
    answer = fio_face(args, under=[realtime.fifo_if_allowed]).check().json()
    done = answer["jobs"][0]["write"]["total_ios"]
    deviations = 4 * 4000**0.5 if process == "poisson" else 40
    assert done == pytest.approx(4000, abs=deviations)
    arrivals = sorted(op.arrival_ns for op in device.log() if op.kind == "w")
    gaps = [b - a for a, b in zip(arrivals, arrivals[1:], strict=False)]
    mean = sum(gaps) / len(gaps)
    spread = (sum((g - mean) ** 2 for g in gaps) / len(gaps)) ** 0.5 / mean
    assert mean == pytest.approx(MS, rel=0.07)
    if process == "poisson":  # the gaps' deviation is their mean
        assert spread == pytest.approx(1, abs=0.12)
    else:
        close = sum(abs(g - MS) < MS / 2 for g in gaps)
        assert close > 0.8 * len(gaps)


# Errors: counted, with errno, offset and file of the first; the report is complete


def failed(args: list[str], number: int, **how: Any) -> Any:
    result = fio_face(args, **how)
    assert result.rc == 1, result
    answer = result.json()
    job = answer["jobs"][0]
    assert job["error"] == number
    return answer


def first_error(answer: Any) -> str:
    """The note of what went wrong first."""
    texts = [n["text"] for n in answer[NOTES]["notes"] if n["id"] == "io-errors"]
    assert len(texts) == 1
    return texts[0]


def test_full_file_system(rig: Callable[..., Any]) -> None:
    fs = rig(FullFileSystem, leave=MIB)
    words = ["--name=j", "--rw=write", "--size=8m", "--fallocate=none", f"--directory={fs.path}"]
    answer = failed([*words, "--unlink=1"], errno.ENOSPC)
    text = first_error(answer)
    assert "write of 4096 bytes at offset" in text
    assert "j.0.0" in text
    assert 0 < answer["jobs"][0]["write"]["io_bytes"] <= MIB + 65536
    assert [p.name for p in fs.path.iterdir()] == ["ballast"]


@pytest.mark.parametrize("engine", ["psync", "io_uring", "libaio"])
def test_error_at_a_known_place(engine: str, rig: Callable[..., Any]) -> None:
    loop = rig(TruncatedLoop, size=4 * MIB, keep=MIB)
    words = ["--name=j", "--rw=read", f"--filename={loop.dev}", "--direct=1", "--bs=64k"]
    answer = failed([*words, f"--ioengine={engine}"], errno.EIO)
    text = first_error(answer)
    assert f"read of 65536 bytes at offset {MIB}" in text
    assert loop.dev in text
    assert answer["jobs"][0]["read"]["io_bytes"] == MIB


def test_errors_are_counted(rig: Callable[..., Any]) -> None:
    """With continue_on_error fio ends with 0, and counts."""
    device = rig(ModelDevice, size=4 * MIB)
    device.fail_every(100, errno.EIO)
    words = ["--name=j", "--rw=write", f"--filename={device.file}", "--direct=1"]
    result = fio_face([*words, "--continue_on_error=all"])
    log = device.log()
    job = result.json()["jobs"][0]
    assert job["total_err"] == sum(op.error != 0 for op in log) == 10
    assert job["first_error"] == errno.EIO


@pytest.mark.parametrize("face", ["native", "fio"])
def test_device_that_vanishes(face: str, rig: Callable[..., Any]) -> None:
    device = rig(ModelDevice, 4 * MIB, service_ns=MS)
    words = ["--name=j", "--rw=randread", f"--filename={device.file}", "--direct=1"]
    words += ["--time_based", "--runtime=20", "--ioengine=libaio", "--iodepth=4"]
    native = ["run", "--format=json", *words]
    args = native if face == "native" else ["--output-format=json", *words]
    how = {} if face == "native" else {"program": FIO_FACE}
    with Running(args, **how) as running:
        assert wait_until(lambda: len(device.log()) > 300, 10)
        device.vanish()
        result = running.finish(30)
    assert result.rc in ((3, 6) if face == "native" else (1,)), result
    answer = result.json()
    if face == "native":
        assert answer["groups"][0]["read"]["ios"] > 0
    else:
        job = answer["jobs"][0]
        assert job["error"] in (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO)
        assert job["read"]["total_ios"] > 200


def test_a_stall_is_rows_of_zeros(rig: Callable[..., Any]) -> None:
    device = rig(ModelDevice, service_ns=2 * MS)
    words = ["--name=j", "--rw=randread", f"--filename={device.file}", "--direct=1"]
    words += ["--time_based", "--runtime=5", "--ioengine=psync", "--format=json"]
    device.stall(2.2, after_ops=700)
    answer = run(["run", *words]).check().json()
    rows = [row["read"]["ios"] for row in answer["series"] if not row["partial"]]
    assert len(rows) in (5, 6)  # 6: the last request came back late
    assert 1 <= rows[:5].count(0) <= 2
    group = answer["groups"][0]
    assert group["read"]["latency"]["service"]["max_ns"] == pytest.approx(2202 * MS, rel=0.02)
