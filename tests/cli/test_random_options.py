"""Sets of options drawn at random, through the fio face and Debian's fio: the same bytes and
requests for each clone, the same requests at the device, the same files with the same blocks.

Set number N is drawn from seed N alone. ASSAY_TEST_SETS=FIRST-LAST runs others than the few that
each run of the tests takes.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rigs import oracle
from rigs.model import ModelDevice
from rigs.scratch import Scratch

KIB, MIB = 1 << 10, 1 << 20
DEVICE_BYTES = 4 * MIB
SEEDS = 12  # tries before an outcome that hangs on chance counts as one that cannot come

SYNC = ("psync", "sync", "vsync", "pvsync", "pvsync2")
ASYNC = ("libaio", "io_uring", "posixaio")


@dataclass
class Drawn:
    """One set. chance: how many requests of each kind come is tossed for. covers: each block is
    met as often in both programs. syncs: both send as many.
    """

    words: list[str] = field(default_factory=list)
    chance: bool = False
    covers: bool = True
    syncs: bool = False
    sizes: bool = True  # how many requests make the bytes is no chance
    room: int = 1 << 40  # bytes of one file, where filesize tells them
    least: int = 0  # bytes of the smallest region

    def add(self, *words: str) -> None:
        self.words += words


def draw(number: int, on_device: bool) -> Drawn:
    rng = random.Random(number * 2 + on_device)
    drawn = Drawn()
    mixed = rng.random() < 0.25
    rw = rng.choice(
        ["rw", "randrw"] if mixed else ["read", "write", "randread", "randwrite"]
    )
    sequential = not rw.startswith("rand")
    block = rng.choice([1, 2, 4, 4, 4, 8, 16, 12]) * KIB
    if on_device:
        block = max(block, 4 * KIB)
    _draw_rw(rng, drawn, rw, block)
    _draw_sizes(rng, drawn, block, sequential, on_device)
    _draw_place(rng, drawn, block, on_device)
    _draw_random(rng, drawn, sequential, block)
    _draw_engine(rng, drawn)
    _draw_stop(rng, drawn, block, sequential)
    if mixed:
        drawn.add(f"--rwmixread={rng.choice([0, 10, 30, 50, 70, 95, 100])}")
        drawn.chance = True
    _draw_lengths(rng, drawn, block)
    _draw_harmless(rng, drawn, "write" in rw or mixed)
    return drawn


def _draw_rw(rng: random.Random, drawn: Drawn, rw: str, block: int) -> None:
    skip = ""
    if rw in ("read", "write") and rng.random() < 0.12:
        skip = f":{rng.choice([1, 2, 3]) * block}"
        if rng.random() < 0.3:
            drawn.add("--rw_sequencer=identical")
    drawn.add(f"--rw={rw}{skip}", f"--bs={block}")


def _draw_sizes(
    rng: random.Random, drawn: Drawn, block: int, sequential: bool, on_device: bool
) -> None:
    blocks = rng.choice([1, 5, 16, 32, 33, 50])
    size = blocks * block
    if not on_device and rng.random() < 0.2:
        size += rng.choice([512, 1024, block // 2])
    files = 1 if on_device else rng.choice([1, 1, 1, 2, 3, 5])
    if files > 1:
        drawn.add(f"--nrfiles={files}")
        size = max(size, files * block)
        if rng.random() < 0.4:
            drawn.add(f"--openfiles={rng.randint(1, files)}")
        if rng.random() < 0.5:
            how = rng.choice(["random", "roundrobin", "sequential", "roundrobin:3", "zipf:1.2"])
            drawn.add(f"--file_service_type={how}")
            if how in ("random", "zipf:1.2"):
                drawn.covers = False
    drawn.least = size // files
    shape = rng.random()
    if on_device or shape < 0.6:
        drawn.add(f"--size={size}")
    elif shape < 0.85:
        drawn.add(f"--filesize={size // files}")
        drawn.room = size // files
    else:
        drawn.add(f"--filesize={size // files}", f"--size={size}")
        drawn.room = size // files


def _draw_place(rng: random.Random, drawn: Drawn, block: int, on_device: bool) -> None:
    if rng.random() < 0.2:
        drawn.add(f"--numjobs={rng.choice([2, 3])}")
        if rng.random() < 0.5:
            step = rng.choice([2, 8, 20]) * block
            step = step if on_device or block > KIB else 4 * KIB
            if step * 2 < drawn.room:  # beyond the end is an error of ours, and no work of fio's
                drawn.add(f"--offset_increment={step}")
        if rng.random() < 0.3:
            drawn.add("--thread")
        if not on_device and rng.random() < 0.3:
            drawn.add("--filename_format=f.$jobnum.$filenum")
    if on_device and rng.random() < 0.3:
        drawn.add(f"--offset={rng.choice(['64k', '1m', '25%', '10%'])}")


def _draw_random(rng: random.Random, drawn: Drawn, sequential: bool, block: int) -> None:
    pick = rng.random()
    if sequential:
        return
    if pick < 0.15:
        drawn.add("--norandommap")
        drawn.covers = False
    elif pick < 0.3:
        drawn.add(f"--random_generator={rng.choice(['lfsr', 'tausworthe64', 'tausworthe'])}")
    elif pick < 0.45 and drawn.least % block == 0:  # else fio may draw for ever
        shape = rng.choice(["zipf:1.2", "pareto:0.3", "normal:20", "zoned:60/10:30/20:10/70"])
        drawn.add(f"--random_distribution={shape}")
        drawn.covers = False
    elif pick < 0.55:
        drawn.add(f"--percentage_random={rng.choice([0, 100])}")
    elif pick < 0.65:
        times = rng.choice([1, 2, 4])
        if times * block < drawn.least:  # fio does nothing where no place is left
            drawn.add(f"--ba={times * block}")
            drawn.covers = False


def _draw_engine(rng: random.Random, drawn: Drawn) -> None:
    pick = rng.random()
    if pick < 0.35:
        return
    if pick < 0.55:
        drawn.add(f"--ioengine={rng.choice(SYNC)}")
        return
    engine = rng.choice(ASYNC)
    depth = rng.choice([1, 2, 4, 8, 32])
    drawn.add(f"--ioengine={engine}", f"--iodepth={depth}")
    if rng.random() < 0.4:
        drawn.add(f"--iodepth_batch={rng.randint(1, depth)}")
    if engine != "posixaio" and rng.random() < 0.3:  # with it fio may wait for ever
        least = rng.randint(1, depth)
        drawn.add(f"--iodepth_batch_complete_min={least}")
        if rng.random() < 0.5:
            drawn.add(f"--iodepth_batch_complete_max={rng.randint(least, depth)}")
    if rng.random() < 0.2:
        drawn.add(f"--iodepth_low={rng.randint(1, depth)}")
    if engine == "io_uring" and rng.random() < 0.5:
        registers = [] if any("openfiles" in w for w in drawn.words) else ["--registerfiles=1"]
        drawn.add(rng.choice(["--fixedbufs=1", "--nonvectored=1", *registers]))


def _draw_stop(rng: random.Random, drawn: Drawn, block: int, sequential: bool) -> None:
    """A random job that stops in the middle of a round has met half of its blocks, but which?"""
    pick = rng.random()
    if pick < 0.15:
        drawn.add(f"--number_ios={rng.choice([1, 7, 20, 200])}")
    elif pick < 0.3:
        drawn.add(f"--io_size={rng.choice([1, 3, 10, 40, 100]) * block + rng.choice([0, 0, 512])}")
    elif pick < 0.35 and drawn.least >= 4 * block:  # fio refuses less than one request
        drawn.add(f"--io_size={rng.choice([25, 50])}%")
    if pick < 0.35 and not sequential:
        drawn.covers = False
    if rng.random() < 0.15:
        drawn.add(f"--loops={rng.choice([2, 3])}")


def _draw_lengths(rng: random.Random, drawn: Drawn, block: int) -> None:
    """Mixed sizes: the bytes are the same, the requests that make them are chance."""
    if rng.random() > 0.1 or any(word.startswith("--ba=") for word in drawn.words):
        return
    most = max(block, min(4 * block, drawn.least))
    split = f"{block}/60:{most}/40"
    drawn.add(rng.choice([f"--bsrange={block}-{most}", f"--bssplit={split}"]))
    drawn.chance, drawn.covers, drawn.sizes = True, False, False


def _draw_zones(rng: random.Random, drawn: Drawn, block: int) -> None:
    if rng.random() < 0.08 and not any("nrfiles" in word for word in drawn.words):
        zone = 4 * block
        drawn.add("--zonemode=strided", f"--zonesize={zone}", f"--io_size={8 * block}")
        drawn.add(rng.choice([f"--zoneskip={zone}", f"--zonerange={2 * zone}"]))
        drawn.covers = False


def _draw_harmless(rng: random.Random, drawn: Drawn, writes: bool) -> None:
    """What must not change which requests come."""
    some = [
        "--group_reporting=0", "--randrepeat=0", "--randseed=77", "--end_fsync=1",
        "--fsync_on_close=1", "--mem=mmap", "--iomem_align=8192", "--invalidate=0",
        "--thinktime=50", "--rate_iops=20000", "--disable_clat=1", "--gtod_reduce=1", "--nice=1",
        "--runtime=60", "--unit_base=8", "--clat_percentiles=0", "--lat_percentiles=1",
        "--refill_buffers=1", "--scramble_buffers=0", "--continue_on_error=all", "--startdelay=1ms",
        "--max_latency=10s", "--cpus_allowed=0", "--prio=4", "--stonewall=1",
        "--percentile_list=50:99", "--disk_util=0", "--rate_process=poisson", "--buffered=1",
        "--overwrite=1", "--pre_read=0", "--unlink=0",
    ]  # fmt: skip
    drawn.add(*rng.sample(some, rng.choice([0, 1, 2, 4])))
    if writes and rng.random() < 0.2:
        drawn.add(f"--fsync={rng.choice([1, 4, 10])}")
        asynchronous = any(word[11:] in ASYNC for word in drawn.words)
        drawn.syncs = not asynchronous  # of these fio sends other numbers in each run
        drawn.covers = drawn.covers and not asynchronous


def numbers() -> list[int]:
    first, _, last = os.environ.get("ASSAY_TEST_SETS", "0-3").partition("-")
    return list(range(int(first), int(last or first) + 1))


@pytest.fixture(autouse=True)
def _oracle(need: Callable[[str | None], None]) -> None:
    need(oracle.why_not())


@pytest.fixture(scope="module")
def device() -> Any:
    reason = ModelDevice.why_not()
    if reason:
        pytest.skip(reason)
    with ModelDevice(DEVICE_BYTES, servers=8) as model:
        yield model


@pytest.fixture(scope="module")
def folder() -> Any:
    with Scratch("random-options") as scratch:
        yield scratch.path


def answer(words: list[str], program: Path) -> Any:
    """Exit code and jobs, in the order of the clones' own numbers: fio starts and lists the first
    and then the others backwards.
    """
    result = oracle.fio(words, program=program)
    jobs = oracle.jobs_json(result)["jobs"] if re.search(r"^\{", result.out, re.M) else []
    if program == oracle.ORACLE:
        jobs = jobs[:1] + jobs[:0:-1]
    else:
        assert result.err == "" or result.rc != 0, result
    return result, jobs


def done(jobs: Any, drawn: Drawn) -> list[Any]:
    """What each clone did. Of a mix the directions are chance, and their sum is not."""
    keys = ("total_ios", "io_bytes", "short_ios")
    rows = []
    for job in jobs:
        row = [[job[way][key] for key in keys] for way in oracle.DIRECTIONS]
        if drawn.chance:
            row = [[sum(column) for column in zip(*row, strict=True)][0 if drawn.sizes else 1 :]]
        syncs = job["sync"]["total_ios"] if drawn.syncs and not drawn.chance else None
        rows.append((row, syncs, job["error"]))
    return rows


def hangs_on_chance(
    words: list[str], drawn: Drawn, clean: Callable[[], None], came: list[Any]
) -> bool:
    """Whether, over some seeds, one program also comes to what the other came to. Ours is asked
    first, as it starts in a twentieth of fio's time.
    """
    theirs, ours = ({str(done(jobs, drawn))} for _, jobs in came)
    for program, seen in ((oracle.FIO_FACE, ours), (oracle.ORACLE, theirs)):
        for seed in range(SEEDS):
            clean()
            _, jobs = answer([*words, f"--randseed={seed + 1}"], program)
            seen.add(str(done(jobs, drawn)))
            if ours & theirs:
                return True
    return False


def at_device(device: ModelDevice) -> Counter[tuple[str, int, int]]:
    log = Counter((op.kind, op.offset, op.len) for op in device.log())
    device.forget()
    return log


def without_looks(ours: Counter[Any], theirs: Counter[Any]) -> Counter[Any]:
    """Ours without the blocks that it read before the start, to know of zeros: at most 64 of
    4 KiB each.
    """
    extra = ours - theirs
    looks = all(kind == "r" and size == 4 * KIB for kind, _, size in extra)
    return ours - extra if looks and extra.total() <= 64 else ours


def same(seen: list[Any], words: list[str], drawn: Drawn, clean: Callable[[], None]) -> None:
    """Both programs came to the same, or to what the other comes to as well by chance."""
    (theirs, their_jobs), (ours, our_jobs) = seen
    said = f"{' '.join(words)}\n{ours.err}{theirs.err}"
    assert (ours.rc == 0) == (theirs.rc == 0), said
    a, b = done(our_jobs, drawn), done(their_jobs, drawn)
    alike = a == b or (drawn.chance and hangs_on_chance(words, drawn, clean, seen))
    assert alike, f"{said}\nours {a}\nfio's {b}"


@pytest.mark.parametrize("number", numbers())
def test_on_a_device(number: int, device: ModelDevice, fio_face: Path) -> None:
    drawn = draw(number, on_device=True)
    words = [f"--filename={device.file}", "--direct=1", "--name=j", *drawn.words]
    device.forget()
    theirs = answer(words, oracle.ORACLE)
    their_log = at_device(device)
    ours = answer(words, oracle.FIO_FACE)
    our_log = without_looks(at_device(device), their_log)
    same([theirs, ours], words, drawn, lambda: None)
    if drawn.covers and not drawn.chance and "--buffered=1" not in words:
        assert our_log == their_log, " ".join(words)


@pytest.mark.parametrize("number", numbers())
def test_in_a_folder(number: int, folder: Path, fio_face: Path) -> None:
    drawn = draw(number, on_device=False)
    work = folder / "work"
    words = [f"--directory={work}", "--name=j", *drawn.words]

    def clean() -> None:
        work.mkdir(exist_ok=True)
        for path in work.iterdir():
            path.unlink()

    seen: list[Any] = []
    found = []
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        clean()
        result, jobs = answer(words, program)
        seen.append((result, jobs))
        found.append({path.name: path.stat().st_size for path in work.iterdir()})
    same(seen, words, drawn, clean)
    assert found[0] == found[1], " ".join(words)


def test_a_place_that_is_not_there(folder: Path, fio_face: Path) -> None:
    """Where ba leaves no place in a file, fio does nothing and is content."""
    words = [f"--directory={folder}", "--name=n", "--rw=randwrite", "--bs=2k", "--size=2k"]
    words.append("--ba=4k")
    theirs, jobs = answer(words, oracle.ORACLE)
    assert (theirs.rc, jobs[0]["write"]["total_ios"]) == (0, 0)
    (folder / "n.0.0").unlink()
    ours, jobs = answer(words, oracle.FIO_FACE)
    assert (ours.rc, jobs) == (1, [])
    assert "no block of 4096 bytes fits" in ours.err
    assert not (folder / "n.0.0").exists()


def test_files_that_are_registered_are_held_open(folder: Path, fio_face: Path) -> None:
    """fio refuses to register more files than are open; here all are."""
    words = [f"--directory={folder}", "--name=r", "--rw=write", "--size=64k", "--nrfiles=4"]
    words += ["--openfiles=2", "--ioengine=io_uring", "--registerfiles=1"]
    theirs, _ = answer(words, oracle.ORACLE)
    assert theirs.rc == 1
    ours, jobs = answer(words, oracle.FIO_FACE)
    assert jobs[0]["write"]["total_ios"] == 16
    assert "all are held open" in ours.check().out
