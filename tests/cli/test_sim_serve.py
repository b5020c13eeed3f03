"""assay sim serve: the served drive against its own log, Debian's fio and ours, and what happens to
data and figures when power fails, requests fail, or the drive stalls.
"""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rigs import oracle
from rigs.assay import FIO_FACE, Result, Running, run
from rigs.held import tool
from rigs.loop import Loop
from rigs.model import percentile_ns
from rigs.served import Served

MIB, MS = 1 << 20, 1_000_000
# A drive slow enough that what FUSE adds (some 0.1 ms) is small: 3 ms reads, cached writes of 2 ms.
SLOW = "sata-enterprise,size=64m,read_latency=3ms,write_latency=2ms"
SMALL = "nvme-enterprise,size=64m"
# Loses what is not flushed.
VOLATILE = "sata-tlc-128g,size=64m,slc_min=0,slc_max=8m,turn=0,seed=3"


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Must be built."""


def job(served: Served, engine: str, rw: str, *more: str) -> list[str]:
    args = ["--name=j", f"--filename={served.file}", "--size=64m", "--direct=1", "--bs=4k"]
    return [*args, f"--rw={rw}", f"--ioengine={engine}", "--output-format=json", *more]


def write_pages(file: Path, pages: range, letter: bytes, *, sync: bool) -> None:
    """By direct I/O, one page at a time; sync at the end or not at all."""
    fd = os.open(file, os.O_WRONLY)
    try:
        for page in pages:
            os.pwrite(fd, letter * 4096, page * 4096)
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def read_pages(file: Path, pages: range) -> list[bytes]:
    fd = os.open(file, os.O_RDONLY)
    try:
        return [os.pread(fd, 4096, page * 4096) for page in pages]
    finally:
        os.close(fd)


@pytest.mark.shared_cpu(3)
@pytest.mark.parametrize("rw", ["randread", "randwrite"])
@pytest.mark.parametrize("engine", ["psync", "io_uring"])
@pytest.mark.parametrize("whose", ["ours", "Debian's"])
def test_median_agrees_with_the_log(
    rig: Callable[..., Any], need: Callable[..., None], whose: str, engine: str, rw: str
) -> None:
    if whose == "Debian's":
        need(oracle.why_not())
    served = rig(Served, SLOW)
    program = FIO_FACE if whose == "ours" else oracle.ORACLE
    result = run(job(served, engine, rw, "--number_ios=300"), program=program).check()
    side = oracle.jobs_json(result)["jobs"][0]["read" if rw == "randread" else "write"]
    log = [op for op in served.log() if op.kind == rw[4]]
    # Ours looks at what a file holds before it measures (the guard); the job's requests come last.
    assert len(log) >= 300 if whose == "ours" and rw == "randread" else len(log) == 300
    log = sorted(log, key=lambda op: op.arrival_ns)[-300:]
    assert side["total_ios"] == 300
    assert sum(op.len for op in log) == side["io_bytes"]
    truth = percentile_ns(log, 50)
    assert 2 * MS <= truth < 4 * MS  # the model's, and this machine was not late
    # What FUSE adds is seen by the generator alone; a percentile is a bucket, 1.6 % wide.
    assert 0.984 * truth <= side["clat_ns"]["percentile"]["50.000000"] <= 1.1 * truth


@pytest.mark.shared_cpu(3)
def test_replies_come_when_the_model_says(rig: Callable[..., Any]) -> None:
    served = rig(Served, SLOW)
    run(job(served, "io_uring", "randread", "--iodepth=8", "--number_ios=400"), program=FIO_FACE)
    late = sorted(op.done_ns - op.due_ns for op in served.log())
    assert late[0] >= 0  # never early
    assert late[len(late) // 2] < MS // 2


def test_a_dead_mount_is_told_with_its_remedy(rig: Callable[..., Any], tmp_path: Path) -> None:
    """Every command that meets it: the server was killed, and the mount stays."""
    served = rig(Served, SMALL)
    served.server.kill()
    served.server.wait()
    mount, store = served.mount, f"--store={tmp_path / 'x.db'}"
    for words in (
        ["run", store, "--name=j", f"--filename={mount / 'disk'}", "--rw=read", "--size=1m"],
        ["run", store, "--name=j", f"--directory={mount}", "--rw=write", "--size=1m"],
        ["run", store, mount / "x.job"],
        ["quick", store, mount],
        ["log", "info", mount / "x.log"],
        ["plan", "run", store, "cdm", mount],
        ["report", mount / "x.json", "-o", tmp_path / "x.html"],
        ["sim", "health", mount],
        ["sim", "serve", SMALL, mount],
    ):
        result = run(words)
        assert result.rc == (4 if words[-1] == mount / "x.job" else 6), (words, result.err)
        assert "unmount it with `fusermount3 -u`" in result.err, words
        assert "name a folder" not in result.err and "make the folder" not in result.err


def test_a_cut_loses_what_was_not_flushed_and_nothing_else(rig: Callable[..., Any]) -> None:
    served = rig(Served, VOLATILE)
    kept, lost = range(100), range(100, 108)
    write_pages(served.file, kept, b"a", sync=True)
    write_pages(served.file, lost, b"b", sync=True)
    write_pages(served.file, range(104, 106), b"c", sync=False)
    served.control("cut")
    assert read_pages(served.file, kept) == [b"a" * 4096] * len(kept)
    after = read_pages(served.file, lost)
    assert {page[:1] for page in after} <= {b"b", b"c"}
    assert all(page == page[:1] * 4096 for page in after)
    assert b"c" * 4096 not in after  # two pages do not fill a unit: it was still open


def test_a_torn_cut_leaves_old_and_new_sectors(rig: Callable[..., Any]) -> None:
    served = rig(Served, VOLATILE)
    write_pages(served.file, range(8), b"a", sync=True)
    write_pages(served.file, range(4), b"b", sync=False)
    served.control("cut", "--torn")
    torn = 0
    for page in read_pages(served.file, range(8)):
        sectors = [page[i : i + 512] for i in range(0, 4096, 512)]
        news = [sector == b"b" * 512 for sector in sectors]
        assert all(new or sector == b"a" * 512 for new, sector in zip(news, sectors, strict=True))
        assert news == sorted(news, reverse=True)  # the first ones made it
        torn += any(news)
    assert torn > 0


def test_every_hundredth_request_fails(rig: Callable[..., Any]) -> None:
    served = rig(Served, SMALL)
    served.control("errors", "100", "--of=reads")
    words = ["--number_ios=1000", "--continue_on_error=io"]
    result = run(job(served, "psync", "randread", *words), program=FIO_FACE)
    assert json.loads(result.out)["jobs"][0]["total_err"] == 10
    assert sum(op.error != 0 for op in served.log()) == 10
    served.control("errors", "0")
    run(job(served, "psync", "randread", "--number_ios=300"), program=FIO_FACE).check()


@pytest.mark.shared_cpu(3)
def test_a_stall_is_seen_as_rows_of_zeros(rig: Callable[..., Any]) -> None:
    served = rig(Served, SMALL)
    args = ["run", "--format=json", "--name=j", f"--filename={served.file}", "--size=64m"]
    args += ["--direct=1", "--bs=4k", "--rw=randread", "--ioengine=io_uring", "--interval=100ms"]
    with Running([*args, "--time_based", "--runtime=4s"]) as running:
        time.sleep(1.2)
        served.control("stall", "1500ms")
        answer = running.finish().check().json()
    rows = answer["series"]
    whole = [i for i, row in enumerate(rows) if not row["partial"]]
    idle = [i for i in whole if rows[i].get("read", {"ios": 0})["ios"] == 0]
    assert 13 <= len(idle) <= 15, rows  # 1.5 s hold 14 whole rows of 0.1 s, one more or less
    assert idle == list(range(idle[0], idle[0] + len(idle)))
    longest = max(served.log(), key=lambda op: op.wait_ns)
    assert 1400 * MS < longest.due_ns - longest.arrival_ns < 1600 * MS
    seen = answer["groups"][0]["read"]["latency"]["service"]["max_ns"]
    assert abs(seen - longest.wait_ns) < 100 * MS


def test_a_group_is_rated_over_the_stall_that_ends_it(rig: Callable[..., Any]) -> None:
    """The stall's last row is cut short for all but the first that ended: it counts all the same."""
    served = rig(Served, SMALL)
    args = ["run", "--format=json", "--name=j", f"--filename={served.file}", "--size=64m", "--bs=4k"]
    args += ["--direct=1", "--rw=randread", "--ioengine=libaio", "--iodepth=8", "--numjobs=2"]
    with Running([*args, "--group_reporting", "--time_based", "--runtime=1s"]) as running:
        time.sleep(0.8)
        served.control("stall", "2s")
        group = running.finish().check().json()["groups"][0]
    seconds = (group["common_end_ns"] - group["common_begin_ns"]) / 1e9
    assert group["rates_over"] == "common"
    done = group["read"]["ios"]
    assert done * 0.99 - 16 < group["read"]["ios_per_s"] * seconds <= done + 1


@pytest.mark.shared_cpu(3)
def test_a_throttle_is_met(rig: Callable[..., Any]) -> None:
    served = rig(Served, SMALL)
    served.control("throttle", "--iops=500")
    words = ["--iodepth=8", "--time_based", "--runtime=3"]
    result = run(job(served, "io_uring", "randread", *words), program=FIO_FACE).check()
    assert abs(result.json()["jobs"][0]["read"]["iops"] - 500) < 5 + 8 / 3
    served.control("throttle", "off")
    run(job(served, "io_uring", "randread", "--number_ios=3000"), program=FIO_FACE).check()


def test_a_file_system_on_a_loop_device(rig: Callable[..., Any], scratch: Any, need: Any) -> None:
    need(Loop.why_not() or (None if shutil.which("mkfs.ext4") else "no mkfs.ext4"))
    served = rig(Served, SMALL)
    loop = rig(Loop, backing=served.file, direct_io=True)
    tool("mkfs.ext4", "-q", loop.dev)
    place = scratch.path / "fs"
    place.mkdir()
    tool("mount", loop.dev, place)
    try:
        (place / "file").write_bytes(b"x" * MIB)
        tool("sync", "-f", place)
        tool("fstrim", place)
        assert (place / "file").read_bytes() == b"x" * MIB
    finally:
        tool("umount", place)
    tool("e2fsck", "-fn", loop.dev)
    assert {"r", "w", "f", "t"} <= {op.kind for op in served.log()}


def test_contents_outlive_the_server(rig: Callable[..., Any], scratch: Any, need: Any) -> None:
    backing = scratch.path / "backing"
    need(Served.why_not())
    with Served(SMALL, backing=backing) as served:
        write_pages(served.file, range(3), b"k", sync=True)
    assert not os.path.ismount(served.mount)
    assert served.server.returncode == 0
    refused("serve", SMALL, scratch.path).check(4)  # not empty: it would be hidden
    again = rig(Served, SMALL, backing=backing)
    assert "not empty" in refused("serve", SMALL, again.mount).check(4).err
    assert read_pages(again.file, range(3)) == [b"k" * 4096] * 3


def test_a_drive_on_its_way_tells_its_health(rig: Callable[..., Any]) -> None:
    served = rig(Served, VOLATILE)
    write_pages(served.file, range(64), b"a", sync=True)
    served.control("cut")
    health = served.health()
    assert health["simulated"] is True
    assert (health["model"], health["size_bytes"]) == ("sata-tlc-128g", 64 * MIB)
    assert health["host_written_bytes"] == health["mapped_bytes"] == 64 * 4096
    assert health["nand_written_bytes"] >= health["host_written_bytes"]
    assert (health["flushes"], health["unsafe_shutdowns"]) == (1, 1)
    page = run(["sim", "health", served.mount]).check().out
    assert "simulated" in page.splitlines()[0]
    assert "unsafe shutdowns" in page


def test_the_slc_cache_is_full_on_demand(rig: Callable[..., Any]) -> None:
    served = rig(Served, VOLATILE)
    served.control("slc", "100%")
    health = served.health()
    assert health["slc_used_bytes"] == health["slc_bytes"] > 4 * MIB
    served.control("slc", "25%")
    assert served.health()["slc_used_bytes"] == pytest.approx(health["slc_bytes"] / 4, abs=4096)


def test_a_state_is_loaded_and_saved(scratch: Any, need: Any) -> None:
    """The map and the wear go on; `assay run` takes the same file."""
    need(Served.why_not())
    state, backing = scratch.path / "state", scratch.path / "backing"
    with Served(SMALL, backing=backing, state=state) as served:
        write_pages(served.file, range(100), b"a", sync=True)
    assert served.server.returncode == 0
    with Served(SMALL, backing=backing, state=state) as again:
        assert read_pages(again.file, range(100)) == [b"a" * 4096] * 100
        health = again.health()
    assert (health["host_written_bytes"], health["mapped_bytes"]) == (100 * 4096, 100 * 4096)
    job = [f"--filename=sim:{SMALL}", f"--state={state}", "--rw=read", "--size=1m", "--format=json"]
    target = run(["run", *job]).check().json()["targets"][0]
    assert target["simulated"]["host_written_bytes"] == 100 * 4096
    place = scratch.path / "mnt"
    place.mkdir()
    state.write_bytes(state.read_bytes()[:1000])
    assert "cut off" in refused("serve", SMALL, place, f"--state={state}").check(4).err
    assert "geometry" in refused("serve", VOLATILE, place, f"--state={state}").check(4).err
    refused("serve", SMALL, place, "--state=/no/such/folder/state").check(6)


def refused(*words: str | Path) -> Result:
    result = run(["sim", *words])
    assert result.out == ""
    assert result.err.count("\n") == 1, result.err
    return result


def test_wrong_input_is_one_line(scratch: Any) -> None:
    place = scratch.path
    for words in [
        ("serve",), ("serve", SMALL), ("serve", "no-such", place), ("cut",),
        ("serve", SMALL, place, "--what"), ("stall", place), ("stall", place, "5x"),
        ("stall", place, "9d"), ("cut", place, "--half"), ("errors", place, "10", "--of=all"),
        ("throttle", place, "--iops=fast"), ("slc", place), ("slc", place, "lots"),
        ("slc", place, "101%"), ("health",), ("health", place, "--all"),
    ]:  # fmt: skip
        refused(*words).check(4)
    (place / "disk").touch()
    refused("health", place).check(6)
    refused("cut", place).check(6)  # an ordinary file of that name is not a drive
    refused("serve", SMALL, place / "none").check(6)
    (place / "precious").write_bytes(b"data")
    (place / "empty").mkdir()
    refused("serve", SMALL, place / "empty", f"--backing={place / 'precious'}").check(5)
    assert (place / "precious").read_bytes() == b"data"
