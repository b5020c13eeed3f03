"""Each rig does what it says, shown with Debian's fio or plain reads and writes. Seed of all
random data: fio's own.

Wall time is held against throttled and modelled rates only.
"""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rigs import browser, coverage, ledger, leftovers, loopctl, model, oracle, places, realtime
from rigs.assay import Running, run
from rigs.blockstat import Counted
from rigs.filesystem import FileSystem, FullFileSystem, ReadOnlyFileSystem, kind_why_not
from rigs.held import process_start, wait_until
from rigs.loop import Loop, TruncatedLoop
from rigs.model import ModelDevice
from rigs.nbd import NbdFile
from rigs.qemu import QemuFile
from rigs.scratch import RamScratch, Scratch
from rigs.terminal import run_on_terminal
from rigs.throttle import Throttle
from rigs.zram import Zram

MS = 1_000_000
BLOCK = 4096


@pytest.fixture
def fio(need):
    need(oracle.why_not())
    return oracle.fio


def job(file, options: str) -> list[str]:
    """Direct 4 KiB requests to one file; what options say again, counts."""
    return ["--name=a", f"--filename={file}", "--bs=4k", "--direct=1", *options.split()]


def errno_of(work) -> int:
    """The errno that work fails with; 0 if it does not."""
    try:
        work()
    except OSError as error:
        return error.errno or -1
    return 0


def read_at(path, offset: int, size: int = BLOCK) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        buffer = bytearray(os.preadv(fd, [area := aligned(size)], offset))
        buffer[:] = area[: len(buffer)]
        return bytes(buffer)
    finally:
        os.close(fd)


def write_at(path, offset: int, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_DIRECT)
    try:
        area = aligned(len(data))
        area[:] = data
        os.pwritev(fd, [area], offset)
    finally:
        os.close(fd)


def aligned(size: int):
    import mmap

    return memoryview(mmap.mmap(-1, size))


# Folders and devices


def test_scratch_lies_in_the_build_folder_and_goes(rig):
    with Scratch("once") as room:
        file = room.file("a", 10_000, b"xyz")
        assert file.stat().st_size == 10_000
        assert places.BUILD in file.parents
    assert not room.path.exists()


def test_ram_scratch_is_a_tmpfs_of_its_size(rig):
    room = rig(RamScratch, size=1 << 20)
    assert errno_of(lambda: room.file("big", 0, bytes(2 << 20))) == errno.ENOSPC


@pytest.mark.parametrize("options", [{}, {"ram": True}, {"direct_io": True}])
def test_loop_is_a_block_device_over_its_file(rig, options):
    loop = rig(Loop, size=1 << 20, **options)
    write_at(loop.dev, 8192, b"\x5a" * BLOCK)
    assert read_at(loop.dev, 8192) == b"\x5a" * BLOCK
    with open(loop.backing, "rb") as backing:
        assert backing.read()[8192 : 8192 + BLOCK] == b"\x5a" * BLOCK
    state = Path(f"/sys/block/{loop.name}/loop/dio").read_text().strip()
    assert state == ("1" if options.get("direct_io") else "0")


def test_loop_of_4k_sectors_refuses_512(rig):
    loop = rig(Loop, size=1 << 20, sector_size=4096)
    assert errno_of(lambda: read_at(loop.dev, 0, 512)) == errno.EINVAL
    assert len(read_at(loop.dev, 0)) == BLOCK


def test_read_only_loop_refuses_writes(rig):
    loop = rig(Loop, size=1 << 20, read_only=True)
    refusals = (errno.EPERM, errno.EACCES, errno.EROFS)
    assert errno_of(lambda: write_at(loop.dev, 0, bytes(BLOCK))) in refusals
    assert len(read_at(loop.dev, 0)) == BLOCK


def test_truncated_loop_fails_beyond_the_cut_only(rig):
    loop = rig(TruncatedLoop, 4 << 20, keep=1 << 20)
    assert len(read_at(loop.dev, (1 << 20) - BLOCK)) == BLOCK
    assert errno_of(lambda: read_at(loop.dev, 1 << 20)) == errno.EIO


def test_zram_stores_zeros_for_nothing_and_random_data_whole(rig):
    zram = rig(Zram, 8 << 20, algorithm="lz4")
    write_at(zram.dev, 0, bytes(1 << 20))
    assert zram.stored_bytes() < 4096
    write_at(zram.dev, 0, os.urandom(1 << 20))
    assert zram.stored_bytes() >= 1 << 20
    assert "[lz4]" in Path(f"/sys/block/{zram.name}/comp_algorithm").read_text()


def test_zram_breaks_at_its_memory_limit(rig):
    zram = rig(Zram, 64 << 20, mem_limit=2 << 20)
    chunks = 0

    def fill():
        nonlocal chunks
        for at in range(0, 64 << 20, 1 << 20):
            write_at(zram.dev, at, os.urandom(1 << 20))
            chunks += 1

    assert errno_of(fill) in (errno.EIO, errno.ENOMEM)
    assert chunks in (1, 2)


# File systems


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs"])
def test_file_system_is_of_its_kind(rig, need, kind):
    need(kind_why_not(kind))
    fs = rig(FileSystem, kind, 32 << 20)
    file = fs.file("data", b"a" * BLOCK)
    assert file.read_bytes() == b"a" * BLOCK
    with open("/proc/self/mounts") as table:
        assert kind in [line.split()[2] for line in table if line.split()[1] == str(fs.path)]
    assert fs.free() > 1 << 20


@pytest.mark.parametrize("kind", ["tmpfs", "ext4"])
def test_full_file_system_has_what_was_left_and_no_more(rig, kind):
    fs = rig(FullFileSystem, kind, 16 << 20, leave=1 << 20)
    with open(fs.path / "data", "wb", buffering=0) as file:
        assert file.write(bytes(512 << 10)) == 512 << 10
        assert errno_of(lambda: [file.write(bytes(1 << 20)) for _ in range(4)]) == errno.ENOSPC


def test_fio_meets_a_full_file_system(rig, fio):
    fs = rig(FullFileSystem, "ext4", 16 << 20)
    result = fio(job(fs.path / "data", "--rw=write --size=4m --fallocate=none --direct=0"))
    assert result.rc != 0
    assert oracle.jobs_json(result)["jobs"][0]["error"] == errno.ENOSPC


def test_read_only_file_system_reads_and_refuses(rig):
    fs = rig(ReadOnlyFileSystem)
    assert fs.data.read_bytes()[:4] == b"\xa5" * 4
    assert errno_of(lambda: fs.file("new")) == errno.EROFS


# Rates


@pytest.mark.shared_cpu(3)
def test_throttle_holds_its_iops_within_1_percent_over_10_s(rig, fio):
    loop = rig(Loop, 64 << 20, ram=True)
    throttle = rig(Throttle, loop.dev, read_iops=1000)
    args = job(loop.dev, "--rw=randread --ioengine=libaio --iodepth=8 --time_based --runtime=10")
    with Counted(loop.dev) as counted:
        answer = oracle.jobs_json(fio(args, under=[throttle.wrap]).check())
    assert oracle.iops(answer, "read") == pytest.approx(1000, rel=0.01)
    total = answer["jobs"][0]["read"]["total_ios"]
    # The device and the group count also the few requests by which a device is opened.
    assert total <= counted.delta.reads <= total + 64
    assert total <= throttle.serviced()["Read"] <= total + 64


@pytest.mark.shared_cpu(3)
def test_throttle_limits_bytes(rig, fio):
    loop = rig(Loop, 64 << 20, ram=True)
    throttle = rig(Throttle, loop.dev, write_bps=20_000_000)
    args = job(loop.dev, "--rw=write --bs=64k --ioengine=psync --time_based --runtime=4")
    answer = oracle.jobs_json(fio(args, under=[throttle.wrap]).check())
    write = answer["jobs"][0]["write"]
    assert write["io_bytes"] * 1000 / write["runtime"] == pytest.approx(20e6, rel=0.03)


# The model device


def timed(fio, device: ModelDevice, *args: str, seconds: int = 2):
    """fio's answer, run real-time where allowed, and the device's log of it."""
    device.forget()
    base = job(device.file, f"--time_based --runtime={seconds}")
    result = fio([*base, *args], under=[realtime.fifo_if_allowed])
    return oracle.jobs_json(result), [op for op in device.log() if op.kind in "rw"]


@pytest.mark.shared_cpu(3)
@pytest.mark.parametrize("depth", [1, 8])
def test_model_device_and_fio_agree_on_the_median(rig, fio, depth):
    device = rig(ModelDevice, service_ns=5 * MS)
    answer, log = timed(fio, device, "--rw=randread", "--ioengine=libaio", f"--iodepth={depth}")
    own = model.percentile_ns(log, 50)
    assert own == pytest.approx(depth * 5 * MS, rel=0.05)
    assert oracle.clat_ns(answer, "read", 50) == pytest.approx(own, rel=0.05)
    assert answer["jobs"][0]["read"]["total_ios"] == len(log)
    if depth > 1:  # a server that never waits for us: the rate is the model's alone
        assert oracle.iops(answer, "read") == pytest.approx(200, rel=0.05)


@pytest.mark.shared_cpu(3)
def test_model_servers_work_side_by_side_also_for_writes(rig, fio):
    device = rig(ModelDevice, servers=4, service_ns=4 * MS, latency_ns=2 * MS)
    answer, log = timed(fio, device, "--rw=randwrite", "--ioengine=libaio", "--iodepth=16")
    assert oracle.iops(answer, "write") == pytest.approx(1000, rel=0.05)
    assert model.percentile_ns(log, 50) == pytest.approx(16 * MS, rel=0.05)
    assert min(op.wait_ns for op in log) >= 6 * MS


@pytest.mark.shared_cpu(3)
def test_model_latency_occupies_no_server(rig, fio):
    device = rig(ModelDevice, service_ns=1 * MS, latency_ns=20 * MS)
    answer, log = timed(fio, device, "--rw=randread", "--ioengine=libaio", "--iodepth=64")
    assert oracle.iops(answer, "read") == pytest.approx(1000, rel=0.05)
    assert min(op.wait_ns for op in log) >= 21 * MS


def test_model_fails_every_nth_request_exactly(rig):
    device = rig(ModelDevice, size=1 << 20)
    device.fail_every(7, errno.EIO)
    outcomes = [errno_of(lambda at=at: read_at(device.file, at * BLOCK)) for at in range(70)]
    assert outcomes == [errno.EIO if n % 7 == 0 else 0 for n in range(1, 71)]
    assert [op.error for op in device.log()] == outcomes
    device.fail_every(0, 0)
    assert errno_of(lambda: [read_at(device.file, 0) for _ in range(20)]) == 0


def test_fio_counts_the_errors_that_the_model_made(rig, fio):
    device = rig(ModelDevice, size=4 << 20)
    device.fail_every(100, errno.EIO)
    answer = oracle.jobs_json(fio(job(device.file, "--rw=read --continue_on_error=all")))
    assert answer["jobs"][0]["total_err"] == sum(op.error != 0 for op in device.log()) == 10


def test_model_failed_write_changes_nothing(rig):
    device = rig(ModelDevice, size=1 << 20)
    write_at(device.file, 0, b"\x11" * BLOCK)
    device.fail_every(1, errno.ENOSPC)
    assert errno_of(lambda: write_at(device.file, 0, b"\x22" * BLOCK)) == errno.ENOSPC
    device.fail_every(0, 0)
    assert read_at(device.file, 0) == b"\x11" * BLOCK


@pytest.mark.shared_cpu(3)
def test_model_stall_shows_in_the_log_and_in_fio(rig, fio):
    device = rig(ModelDevice, service_ns=2 * MS)
    device.stall(1.0, after_ops=100)
    answer, log = timed(fio, device, "--rw=randread", "--ioengine=psync", seconds=2)
    long = [op for op in log if op.wait_ns > 500 * MS]
    assert len(long) == 1
    assert long[0].wait_ns == pytest.approx(1002 * MS, rel=0.02)
    assert answer["jobs"][0]["read"]["clat_ns"]["max"] == pytest.approx(long[0].wait_ns, rel=0.02)


def test_model_hangs_until_resumed(rig, fio):
    device = rig(ModelDevice)
    device.hang()
    with Running(job(device.file, "--rw=read --number_ios=1"), program=oracle.ORACLE) as running:
        assert not wait_until(lambda: running.child.poll() is not None, 0.5)
        device.resume()
        running.finish().check()


def test_model_that_hangs_lets_go_at_the_end(fio):
    need_model = ModelDevice.why_not()
    if need_model:
        pytest.skip(need_model)
    with ModelDevice() as device:
        device.hang()
        running = Running(job(device.file, "--rw=read --ioengine=libaio"), program=oracle.ORACLE)
        with running:
            assert not wait_until(lambda: running.child.poll() is not None, 0.5)
            running.signal(signal.SIGKILL)
    assert wait_until(lambda: running.child.poll() is not None, 5)


def test_model_vanishes(rig):
    device = rig(ModelDevice, 1 << 20)
    loop = rig(Loop, backing=device.file, direct_io=True)
    assert len(read_at(loop.dev, 0)) == BLOCK
    device.vanish()
    assert errno_of(lambda: read_at(device.file, 0)) in (errno.ENOTCONN, errno.ECONNABORTED)
    assert errno_of(lambda: read_at(loop.dev, 0)) == errno.EIO


def test_model_log_is_the_truth_about_offsets(rig, fio):
    device = rig(ModelDevice, size=1 << 20)
    fio(job(device.file, "--rw=randread")).check()
    reads = [op.offset for op in device.log() if op.kind == "r"]
    assert sorted(reads) == list(range(0, 1 << 20, BLOCK))


def test_model_below_a_loop_is_a_block_device(rig):
    device = rig(ModelDevice, size=1 << 20)
    loop = rig(Loop, backing=device.file, direct_io=True)
    device.forget()
    write_at(loop.dev, 4 * BLOCK, b"\x33" * BLOCK)
    assert (4 * BLOCK, BLOCK) in [(op.offset, op.len) for op in device.log() if op.kind == "w"]
    assert read_at(device.file, 4 * BLOCK) == b"\x33" * BLOCK


# nbdkit and QEMU


def test_nbd_file_fails_and_heals(rig):
    nbd = rig(NbdFile, 1 << 20)
    write_at(nbd.file, 0, b"\x44" * BLOCK)
    nbd.inject()
    assert errno_of(lambda: read_at(nbd.file, 0)) == errno.EIO
    nbd.heal()
    assert read_at(nbd.file, 0) == b"\x44" * BLOCK


def test_nbd_pause_holds_a_read_until_resume(rig, fio):
    nbd = rig(NbdFile, 1 << 20)
    nbd.pause()
    args = job(nbd.file, "--rw=read --number_ios=1")
    with Running(args, program=oracle.ORACLE) as running:
        assert not wait_until(lambda: running.child.poll() is not None, 1.0)
        nbd.resume()
        running.finish().check()


def test_nbd_delay_is_a_floor(rig, fio):
    nbd = rig(NbdFile, 1 << 20, delay_read_ms=20)
    answer = oracle.jobs_json(fio(job(nbd.file, "--rw=read --number_ios=20")).check())
    assert answer["jobs"][0]["read"]["clat_ns"]["min"] >= 20 * MS


def test_qemu_file_fails_at_the_place_given(rig):
    always, once = False, True
    errors = ("read", 10 * BLOCK, errno.EIO, always), ("write", 20 * BLOCK, errno.ENOSPC, once)
    qemu = rig(QemuFile, 1 << 20, errors=errors)
    assert errno_of(lambda: read_at(qemu.file, 10 * BLOCK)) == errno.EIO
    assert errno_of(lambda: read_at(qemu.file, 11 * BLOCK)) == 0
    assert errno_of(lambda: write_at(qemu.file, 20 * BLOCK, bytes(BLOCK))) == errno.ENOSPC
    assert errno_of(lambda: write_at(qemu.file, 20 * BLOCK, bytes(BLOCK))) == 0


@pytest.mark.shared_cpu(3)
def test_qemu_file_keeps_its_rate(rig, fio):
    qemu = rig(QemuFile, 16 << 20, read_iops=500)
    args = job(qemu.file, "--rw=randread --time_based --runtime=3")
    answer = oracle.jobs_json(fio(args).check())
    assert oracle.iops(answer, "read") == pytest.approx(500, rel=0.1)


# Oracle and coverage


def test_both_compares_a_program_with_fio(scratch, fio):
    file = scratch.path / "data"
    args = ["--name=a", f"--filename={file}", "--rw=randwrite", "--bs=4k", "--size=1m"]
    pair = oracle.both(args, program=oracle.ORACLE, prepare=lambda: file.unlink(missing_ok=True))
    assert pair.differences() == []
    ours, theirs = oracle.jobs_json(pair.ours), oracle.jobs_json(pair.theirs)
    assert oracle.shape(ours) == oracle.shape(theirs)
    ours["jobs"][0]["write"]["io_bytes"] += 1
    assert oracle.differences(ours, theirs) == ["0:a/write/io_bytes: ours 1048577, fio's 1048576"]


def test_changed_blocks_are_those_written(scratch, fio):
    file = scratch.path / "data"
    coverage.paint(file, 1 << 20)
    assert coverage.changed_blocks(file) == []
    fio(job(file, "--rw=write --offset=64k --size=128k")).check()
    assert coverage.changed_blocks(file) == list(range(16, 48))


def test_data_extents_are_the_parts_written(scratch):
    file = scratch.file("data", 1 << 20)
    with open(file, "r+b") as f:
        f.seek(256 << 10)
        f.write(b"x" * (64 << 10))
        os.fsync(f.fileno())
    assert coverage.data_extents(file) == [(256 << 10, 320 << 10)]


def test_resident_pages_are_those_read(scratch):
    file = scratch.path / "data"
    coverage.paint(file, 1 << 20)
    assert coverage.resident_pages(file) == []
    with open(file, "rb", buffering=0) as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(f.fileno(), 2 * BLOCK, 10 * BLOCK)
    assert coverage.resident_pages(file) == [10, 11]


# Running programs


def test_run_says_all_and_kills_what_hangs():
    result = run(["-c", "echo out; echo err >&2; exit 3"], program="/bin/sh")
    assert (result.rc, result.out, result.err) == (3, "out\n", "err\n")
    with pytest.raises(AssertionError, match="still running"):
        run(["-c", "sleep 1000 & sleep 1000"], program="/bin/sh", timeout=0.2)
    assert leftovers.processes() == []


def test_terminal_is_one_and_as_wide_as_asked():
    script = "test -t 1 && test -t 2 && stty size <&1; echo err >&2"
    result = run_on_terminal(["-c", script], program="/bin/sh", columns=100)
    assert (result.rc, result.out) == (0, "24 100\r\nerr\r\n")
    script = "test -t 2 && test ! -t 1 && echo pipe; echo err >&2"
    result = run_on_terminal(["-c", script], program="/bin/sh", stderr_only=True)
    assert (result.rc, result.out, result.err) == (0, "pipe\n", "err\r\n")


# Nothing stays

VICTIM = """
import os, signal, sys, time
sys.path.insert(0, "{tests}")
from rigs import places
from rigs.assay import Running
from rigs.filesystem import FileSystem
from rigs.loop import Loop
from rigs.model import ModelDevice
from rigs.terminal import run_on_terminal
from rigs.throttle import Throttle
from rigs.zram import Zram
with FileSystem("ext4", 8 << 20) as fs, ModelDevice(1 << 20) as device, Zram(1 << 20) as zram:
    with Loop(backing=device.file) as loop, Throttle(loop.dev, read_iops=5):
        program = Running(["1000"], program="sleep")
        print(places.SESSION, zram.name, device.server.pid, program.pid, flush=True)
        time.sleep(100)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_after(need, number):
    for kind in (FileSystem, ModelDevice, Zram, Loop, Throttle):
        need(kind.why_not())
    # Its own process group, and SIGINT as a terminal would leave it, however we were started.
    child = subprocess.Popen(
        [sys.executable, "-c", VICTIM.format(tests=places.REPO / "tests")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        restore_signals=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    session, zram, server, sleeper = child.stdout.readline().split()
    child.send_signal(number)
    assert child.wait(timeout=30) != 0
    if number == signal.SIGKILL:
        found = ledger.sweep()
        assert f"zram {zram.removeprefix('zram')}" in found
        assert f"process {sleeper}" in found
    assert wait_until(lambda: process_start(server) == process_start(sleeper) == "", 5)
    assert not (places.RIGS / session).exists()
    assert session not in Path("/proc/self/mounts").read_text()
    assert not [dev for dev in loopctl.attached() if session in loopctl.label_of(dev)]
    assert not list(Path("/sys/fs/cgroup/blkio").glob(f"*{session}*"))
    assert not os.path.exists(f"/sys/block/{zram}")


def test_leftovers_are_found(rig):
    fs = rig(FileSystem, "ext4", 8 << 20)
    zram = rig(Zram, 1 << 20)
    throttle = rig(Throttle, fs.device, read_iops=1)
    with subprocess.Popen(["sleep", "100"]) as child:
        found = leftovers.find()
        child.kill()
    assert f"process {child.pid} sleep 100" in found
    assert f"loop {fs.device}" in found
    assert f"mount {fs.path}" in found
    assert f"zram {zram.name.removeprefix('zram')}" in found
    assert f"cgroup {throttle.group}" in found


@pytest.fixture
def faulty_browser(need, scratch, monkeypatch):
    """faulty_browser(line, times) does that line of shell so many times, and then what Chromium does."""
    need(browser.why_not())
    real, program = browser.chromium(), scratch.path / "chromium"
    monkeypatch.setattr(browser, "chromium", lambda: str(program))

    def make(line: str, times: int) -> list[dict[str, str]]:
        program.write_text(f"""#!/bin/sh
            echo . >>{program}.tries
            [ $(wc -l <{program}.tries) -gt {times} ] || {{ {line}; }}
            exec {real} "$@"
            """)
        program.chmod(0o755)
        return [{"path": str(scratch.file("a.html", content=b"<html lang=en>"))}]

    return make


def test_a_browser_that_fails_is_followed_by_another(faulty_browser, capsys):
    (seen,) = browser.look(faulty_browser("echo no screen here >&2; exit 1", times=1))
    assert seen["lang"] == "en"
    assert "no screen here" in capsys.readouterr().out


def test_a_browser_that_hangs_twice_is_told_with_its_words(faulty_browser, monkeypatch):
    monkeypatch.setattr(browser, "DEADLINE_S", 5)
    with pytest.raises(AssertionError, match=r"not done after 5 s.*\n(.*\n)*.*I wait for a screen"):
        browser.look(faulty_browser("echo I wait for a screen >&2; sleep 1000", times=2))
