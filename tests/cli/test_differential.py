"""The fio face beside Debian's fio, option by option: the same bytes, requests and short transfers
in the JSON, the same requests at the device, the same files with the same blocks written.

Three beds. {dev} is a model device, whose own log says which requests came, and in which order.
{dir} is a folder, empty but for what a case paints there: after the run each file's size and the
blocks that changed count. {block} is a loop or zram device, painted all over.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rigs import coverage, oracle
from rigs.assay import Result
from rigs.loop import Loop
from rigs.model import ModelDevice
from rigs.scratch import Scratch
from rigs.zram import Zram

KIB, MIB = 1 << 10, 1 << 20
SECTOR = 512
DEVICE_BYTES = 4 * MIB

ORDER = "order"  # the same requests in the same order
SET = "set"  # the same requests; which comes first is chance
FILES = "files"  # the same files of the same sizes
KINDS = "kinds"  # as many of each kind and size; where they go is chance
COUNT = "count"  # nothing but the figures in the JSON


@dataclass(frozen=True)
class Case:
    """args are split at blanks. files are painted before each program; job is a job file's text,
    given as {job}; sync says that fsyncs are counted too (of fdatasyncs 3.33 counts none).
    """

    args: str
    compare: str = ORDER
    job: str = ""
    files: dict[str, int] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    sync: bool = False
    rc: int = 0


ON_DEVICE = {
    "read": Case("--rw=read --size=1m"),
    "write": Case("--rw=write --size=1m"),
    "randread covers each block once": Case("--rw=randread --size=1m", SET),
    "randwrite covers each block once": Case("--rw=randwrite --size=1m", SET),
    "rw is half and half": Case("--rw=rw --size=1m --rwmixread=100"),
    "randrw all writes": Case("--rw=randrw --size=1m --rwmixwrite=100", SET),
    "read:N skips": Case("--rw=read:4k --size=1m"),
    "write:N skips": Case("--rw=write:12k --size=1m"),
    "read:-N goes backwards": Case("--rw=read:-8k --offset=0 --size=1m --number_ios=20"),
    "read:-N from an offset": Case("--rw=read:-8k --offset=1m --size=64k --number_ios=20"),
    "write:-N and loops": Case("--rw=write:-12k --offset=1m --size=64k --loops=2"),
    "write:N of few bytes": Case(
        "--rw=write:512 --size=64k --number_ios=10 --rw_sequencer=identical"
    ),
    "randread:N in groups": Case("--rw=randread:8 --size=4m --norandommap --number_ios=64", KINDS),
    "randwrite identical": Case(
        "--rw=randwrite:4 --rw_sequencer=identical --size=256k --norandommap", KINDS
    ),
    "bs of three directions": Case("--rw=write --bs=4k,8k,16k --size=1m"),
    "bs of writes only": Case("--rw=write --bs=,16k --size=1m"),
    "bs that does not divide, at random": Case("--rw=randread --bs=12k --size=1m", SET),
    "bsrange of one size": Case("--rw=randwrite --bsrange=8k-8k --size=1m", SET),
    "bsrange by direction": Case("--rw=write --bsrange=4k-4k,16k-16k --size=1m"),
    "bssplit of one size": Case("--rw=read --bssplit=16k/100 --size=1m"),
    "bssplit by direction": Case("--rw=write --bssplit=4k/100,32k/100 --size=1m"),
    "ba aligns": Case("--rw=randread --bs=4k --ba=64k --size=1m --number_ios=64", KINDS),
    "ba of the block size covers": Case("--rw=randwrite --bs=4k --ba=4k --size=1m", SET),
    "size in percent": Case("--rw=read --size=25%"),
    "size and offset in percent": Case("--rw=read --offset=50% --size=25%"),
    "offset in percent is rounded up": Case("--rw=read --offset=33% --size=64k"),
    "two percentages with three clones": Case(
        "--rw=read --offset=10% --offset_increment=33% --numjobs=3 --size=4k", SET
    ),
    "percentages of more than the whole": Case("--rw=read --offset=60% --size=50%"),
    "offset without a size": Case("--rw=read --offset=3m"),
    "offset_increment": Case(
        "--rw=write --size=256k --offset=512k --offset_increment=512k --numjobs=3", SET
    ),
    "offset_increment in percent": Case(
        "--rw=read --size=64k --offset_increment=25% --numjobs=4", SET
    ),
    "io_size below the size": Case("--rw=write --size=1m --io_size=300k"),
    "io_size above the size": Case("--rw=write --size=512k --io_size=1280k"),
    "io_size at random": Case("--rw=randwrite --size=512k --io_size=1m", SET),
    "io_size in percent": Case("--rw=read --size=1m --io_size=50%"),
    "number_ios": Case("--rw=read --size=1m --number_ios=37"),
    "number_ios above the size": Case("--rw=read --size=256k --number_ios=1000"),
    "number_ios and io_size": Case("--rw=read --size=256k --io_size=1m --number_ios=100"),
    "loops": Case("--rw=write --size=256k --loops=3"),
    "loops at random": Case("--rw=randread --size=256k --loops=3", SET),
    "loops and number_ios": Case("--rw=read --size=256k --loops=2 --number_ios=10"),
    "runtime above what is needed": Case("--rw=randread --size=512k --runtime=20", SET),
    "fsync": Case("--rw=write --size=256k --fsync=4", sync=True),
    "fsync at depth": Case(
        "--rw=write --size=256k --fsync=8 --ioengine=libaio --iodepth=4", SET, sync=True
    ),
    "end_fsync": Case("--rw=write --size=256k --end_fsync=1"),
    "fsync_on_close": Case("--rw=write --size=256k --fsync_on_close=1"),
    "norandommap": Case("--rw=randread --size=1m --norandommap", KINDS),
    "lfsr": Case("--rw=randread --size=1m --random_generator=lfsr", SET),
    "tausworthe64": Case("--rw=randread --size=1m --random_generator=tausworthe64", SET),
    "a distribution covers nothing for sure": Case(
        "--rw=randread --size=1m --random_distribution=zipf:1.1", KINDS
    ),
    "percentage_random 0": Case("--rw=randread --size=1m --percentage_random=0"),
    "percentage_random": Case(
        "--rw=randread --size=1m --percentage_random=50 --number_ios=100", KINDS
    ),
    "strided": Case(
        "--rw=read --zonemode=strided --zonesize=64k --zonerange=256k --size=1m --io_size=256k"
    ),
    "strided writes": Case(
        "--rw=write --zonemode=strided --zonesize=64k --zoneskip=64k --size=1m --io_size=256k"
    ),
    "randseed": Case("--rw=randread --size=1m --randseed=7", SET),
    "no randrepeat": Case("--rw=randread --size=1m --randrepeat=0", SET),
    "numjobs": Case("--rw=write --size=256k --numjobs=4", SET),
    "numjobs grouped": Case("--rw=randread --size=256k --numjobs=4 --group_reporting", SET),
    "threads": Case("--rw=randread --size=256k --numjobs=4 --thread", SET),
    "processes": Case("--rw=randread --size=256k --numjobs=4 --thread=0", SET),
    "stonewall": Case("--rw=write --size=256k --name=k --stonewall --rw=read"),
    "wait_for": Case("--rw=write --size=256k --name=k --wait_for=j --rw=read"),
    "three waves": Case(
        "--rw=write --size=64k --name=k --stonewall --rw=read --name=l --stonewall --rw=read:4k"
    ),
    "startdelay": Case("--rw=read --size=64k --name=k --startdelay=1 --rw=write"),
    "unified": Case("--rw=rw --size=256k --rwmixread=100 --unified_rw_reporting=1", COUNT),
    "unified both": Case("--rw=read --size=256k --unified_rw_reporting=both"),
    "rate_iops": Case("--rw=read --size=256k --rate_iops=200 --number_ios=40"),
    "rate": Case("--rw=write --size=256k --rate=1m"),
    "poisson": Case("--rw=read --rate_iops=400 --rate_process=poisson --size=128k"),
    "thinktime": Case("--rw=read --size=64k --thinktime=2000 --thinktime_blocks=4"),
    "flow": Case(
        "--rw=read --size=1m --number_ios=40 --flow=1 --name=k --rw=read --flow=1 --offset=1m"
        " --size=1m --number_ios=40", SET
    ),
    "psync": Case("--rw=randrw --rwmixread=0 --size=512k --ioengine=psync", SET),
    "sync": Case("--rw=write --size=512k --ioengine=sync"),
    "vsync": Case("--rw=write --size=512k --ioengine=vsync"),
    "pvsync": Case("--rw=read --size=512k --ioengine=pvsync"),
    "pvsync2": Case("--rw=read --size=512k --ioengine=pvsync2"),
    "libaio": Case("--rw=randread --size=512k --ioengine=libaio --iodepth=16", SET),
    "libaio in batches": Case(
        "--rw=randwrite --size=512k --ioengine=libaio --iodepth=16 --iodepth_batch=8"
        " --iodepth_batch_complete_min=4 --iodepth_batch_complete_max=8", SET
    ),
    "iodepth_low": Case(
        "--rw=read --size=512k --ioengine=libaio --iodepth=16 --iodepth_low=2", SET
    ),
    "io_uring": Case("--rw=randread --size=512k --ioengine=io_uring --iodepth=16", SET),
    "io_uring fixed": Case(
        "--rw=randread --size=512k --ioengine=io_uring --iodepth=8 --fixedbufs --registerfiles", SET
    ),
    "io_uring nonvectored": Case(
        "--rw=read --size=512k --ioengine=io_uring --iodepth=4 --nonvectored=1", SET
    ),
    "posixaio": Case("--rw=read --size=512k --ioengine=posixaio --iodepth=4", SET),
    "null": Case(
        "--rw=randrw --size=16m --ioengine=null --norandommap --number_ios=3000 --rwmixread=100"
    ),
    "buffered": Case("--rw=read --size=512k --direct=0", COUNT),
    "buffered=1": Case("--rw=write --size=512k --buffered=1 --end_fsync=1", COUNT),
    "sync=1": Case("--rw=write --size=64k --sync=1", COUNT),
    "overwrite": Case("--rw=write --size=256k --overwrite=1"),
    "continue_on_error": Case("--rw=read --size=64k --continue_on_error=all"),
    "kb_base 1000": Case("--kb_base=1000 --bs=4096 --rw=read --size=256kib"),
    "kib is turned round": Case("--rw=read --bs=4096 --size=512kib"),
    "ki is not": Case("--rw=read --bs=4ki --size=512k"),
    "unknown suffix": Case("--rw=read --bs=512q --size=64k"),
    "prefix of an option": Case("--readw=read --size=128k"),
    "one dash": Case("-rw=read -size=128k"),
}  # fmt: skip

IN_FOLDER = {
    "a file of its own": Case("--rw=write --size=512k"),
    "a file laid out": Case("--rw=read --size=512k"),
    "nrfiles share the size": Case("--rw=write --size=512k --nrfiles=4"),
    "nrfiles that do not divide": Case("--rw=read --size=500k --nrfiles=3"),
    "nrfiles sequential": Case("--rw=write --size=512k --nrfiles=4 --file_service_type=sequential"),
    "nrfiles random": Case("--rw=randwrite --size=512k --nrfiles=4 --file_service_type=random"),
    "openfiles": Case("--rw=write --size=512k --nrfiles=8 --openfiles=2"),
    "openfiles at random": Case(
        "--rw=randread --size=512k --nrfiles=8 --openfiles=3 --ioengine=psync", FILES
    ),
    "openfiles of mmap": Case(
        "--rw=randwrite --size=512k --nrfiles=8 --openfiles=3 --ioengine=mmap --direct=0"
    ),
    "openfiles of io_uring": Case(
        "--rw=write --size=512k --nrfiles=8 --openfiles=3 --ioengine=io_uring --iodepth=8"
    ),
    "openfiles of libaio, twice": Case(
        "--rw=read --size=512k --nrfiles=8 --openfiles=3 --ioengine=libaio --iodepth=8 --loops=2",
        FILES,
    ),
    "roundrobin of 4": Case("--rw=read --size=512k --nrfiles=4 --file_service_type=roundrobin:4"),
    "filesize": Case("--rw=write --nrfiles=3 --filesize=128k"),
    "filesize and size": Case("--rw=write --nrfiles=4 --filesize=64k --size=1m"),
    "filesize above size": Case("--rw=randwrite --filesize=128k --size=64k", FILES),
    "filesize above size, files": Case("--rw=write --nrfiles=3 --filesize=128k --size=200k"),
    "filesize above size, loops": Case("--rw=write --filesize=128k --size=64k --offset=32k --loops=2"),
    "filesize and offset": Case("--rw=write --filesize=128k --offset=32k"),
    "filesize and offset_increment": Case(
        "--rw=write --nrfiles=3 --filesize=64k --offset_increment=8k --numjobs=2"
    ),
    "filesize and a share": Case("--rw=write --filesize=64k --size=50%"),
    "filesize and io_size": Case("--rw=randwrite --nrfiles=2 --filesize=128k --size=96k --io_size=300k"),
    "filesize range of one": Case("--rw=write --nrfiles=3 --filesize=64k-64k"),
    "filename list": Case("--rw=write --filename={dir}/a:{dir}/b --size=256k"),
    "filename list below a directory": Case(
        "--rw=write --directory={dir} --filename=a:b:c --size=384k"
    ),
    "escaped colon": Case(r"--rw=write --filename={dir}/a\:b --size=64k"),
    "escaped and listed": Case(r"--rw=write --filename={dir}/a\:b:{dir}/c --size=128k"),
    "directory list": Case(
        "--rw=write --directory={dir}/x:{dir}/y --size=64k --numjobs=4", folders=("x", "y")
    ),
    "filename_format": Case(
        "--rw=write --directory={dir} --filename_format=$jobname-$jobnum-$filenum --size=64k"
        " --numjobs=2 --nrfiles=2"
    ),
    "filename_format with folders": Case(
        "--rw=write --directory={dir} --filename_format=d$jobnum/f$filenum --size=64k --numjobs=2"
    ),
    "files of clones": Case("--rw=write --directory={dir} --size=64k --numjobs=3"),
    "painted, half written": Case(
        "--rw=randwrite --filename={dir}/p --size=512k", files={"p": MIB}
    ),
    "painted, written from an offset": Case(
        "--rw=write --filename={dir}/p --offset=256k --size=256k", files={"p": MIB}
    ),
    "shorter file grows": Case("--rw=write --filename={dir}/p --size=512k", files={"p": 128 * KIB}),
    "longer file stays": Case("--rw=write --filename={dir}/p --size=128k", files={"p": 512 * KIB}),
    "size from the file": Case("--rw=read --filename={dir}/p", files={"p": 512 * KIB}),
    "create_only": Case("--rw=read --size=256k --create_only=1"),
    "create_on_open": Case("--rw=write --size=256k --create_on_open=1 --nrfiles=2"),
    "overwrite lays out": Case("--rw=randwrite --size=512k --overwrite=1 --number_ios=10", FILES),
    "mmap": Case(
        "--rw=randwrite --filename={dir}/p --size=512k --ioengine=mmap --direct=0", files={"p": MIB}
    ),
    "mmap reads": Case("--rw=randread --size=512k --ioengine=mmap --direct=0"),
    "unlink": Case("--rw=write --size=256k --unlink=1"),
    "fallocate none": Case("--rw=write --size=512k --number_ios=16 --fallocate=none"),
    "fallocate posix": Case("--rw=write --size=512k --number_ios=16 --fallocate=posix"),
    "fallocate keep": Case("--rw=write --size=512k --number_ios=16 --fallocate=keep"),
    "fallocate truncate": Case("--rw=write --size=512k --number_ios=16 --fallocate=truncate"),
    "write less than the size": Case("--rw=write --size=512k --number_ios=16"),
    "pre_read": Case("--rw=read --size=256k --pre_read=1 --direct=0"),
    "allow_file_create 0": Case("--rw=write --size=64k --allow_file_create=0", rc=1),
    "buffer_pattern": Case("--rw=write --size=64k --buffer_pattern=0xdeadbeef"),
    "zero_buffers": Case(
        "--rw=write --filename={dir}/p --size=64k --zero_buffers", files={"p": 128 * KIB}
    ),
    "size split over clones and files": Case(
        "--rw=randrw --rwmixread=0 --size=256k --numjobs=2 --nrfiles=2"
    ),
    "two jobs": Case("--rw=write --size=128k --name=k --rw=write --size=64k --bs=8k"),
    "global on the command line": Case("--rw=write --name=global --size=128k --name=k --name=l"),
    "job file": Case("{job}", job="""
; a comment
[global]
directory={dir}
rw=write
size=128k   # to the end
[one]
[two]
bs=8k
stonewall
"""),
    "a job file with two globals": Case("{job}", job="""
[global]
directory={dir}
rw=write
size=64k
[one]
[global]
bs=16k
[two]
"""),
    "name in a section": Case("{job}", job="""
[one]
name=other
directory={dir}
rw=write
size=64k
"""),
    "include": Case("{job}", job="""
[global]
include {dir}/more.inc
[one]
rw=write
""", texts={"more.inc": "directory={dir}\nsize=96k\n"}),
    "environment": Case("{job}", env={"HOW_MUCH": "96k", "HOW": "write"}, job="""
[one]
directory={dir}
rw=${HOW}
size=${HOW_MUCH}
"""),
    "ncpus": Case("{job}", job="""
[one]
directory={dir}
rw=write
size=64k
numjobs=$ncpus
"""),
    "arithmetic": Case("{job}", job="""
[one]
directory={dir}
rw=write
size=$ncpus*65536
number_ios=$pagesize/512
"""),
    "mb_memory": Case("{job}", job="""
[one]
directory={dir}
rw=write
size=64k
number_ios=$mb_memory/$mb_memory
"""),
    "filename accumulates": Case("{job}", job="""
[one]
rw=write
filename={dir}/a
filename={dir}/b
size=128k
"""),
    "section": Case("--section=two {job}", job="""
[global]
directory={dir}
rw=write
[one]
size=64k
[two]
size=128k
"""),
    "options before a job file": Case("--bs=16k {job}", job="""
[one]
directory={dir}
rw=write
size=64k
"""),
    "two job files": Case("{job} {dir}/other.ini", job="""
[one]
directory={dir}
rw=write
size=64k
""", texts={"other.ini": "[two]\ndirectory={dir}\nrw=write\nsize=32k\n"}),
    "job file from stdin is told by -": Case("-", job="""
[one]
directory={dir}
rw=write
size=64k
"""),
    "last of two wins": Case("{job}", job="""
[one]
directory={dir}
rw=read
rw=write
size=64k
size=32k
"""),
    "two of one section's name": Case("{job}", job="""
[one]
directory={dir}
rw=write
size=64k
[one]
directory={dir}
filename=z
rw=write
size=32k
"""),
    "flags without a value": Case("{job}", job="""
[one]
directory={dir}
rw=randwrite
norandommap
size=64k
group_reporting
thread
numjobs=2
""", compare=FILES),
}  # fmt: skip

ON_LOOP = {
    "loop trim": Case("--rw=trim --size=1m --bs=64k"),
    "loop randtrim": Case("--rw=randtrim --bs=64k"),
    "loop trimwrite": Case("--rw=trimwrite --bs=64k"),
    "loop trim io_uring": Case("--rw=trim --bs=64k --ioengine=io_uring --iodepth=4"),
    "loop trim libaio": Case("--rw=randtrim --bs=64k --ioengine=libaio --iodepth=4"),
    "loop 512": Case("--rw=randwrite --bs=512 --size=256k"),
    "loop to the end": Case("--rw=write --size=100%"),
    "loop fill_device": Case("--rw=write --fill_device=1 --bs=64k"),
    "loop size beyond the end": Case("--rw=write --offset=3m --size=2m"),
    "loop io_size of two rounds": Case("--rw=randwrite --io_size=8m --bs=16k"),
    "loop io_size in percent": Case("--rw=write --io_size=50% --bs=16k"),
    "loop io_size of 200 %": Case("--rw=write --io_size=200% --bs=16k", rc=1),
    "loop clones each cover it": Case("--rw=randwrite --bs=64k --numjobs=2"),
}  # fmt: skip

ON_ZRAM = {
    "zram randwrite at depth": Case("--rw=randwrite --ioengine=libaio --iodepth=32"),
    "zram io_uring": Case("--rw=randwrite --ioengine=io_uring --iodepth=32"),
    "zram bsrange": Case("--rw=write --bs=4k --size=1m"),
}


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
    with Scratch("differential") as scratch:
        yield scratch.path


@pytest.fixture(scope="module")
def loop() -> Any:
    reason = Loop.why_not()
    if reason:
        pytest.skip(reason)
    with Loop(DEVICE_BYTES, direct_io=True) as device:
        yield device.dev


@pytest.fixture(scope="module")
def zram() -> Any:
    reason = Zram.why_not()
    if reason:
        pytest.skip(reason)
    with Zram(DEVICE_BYTES) as device:
        yield device.dev


def requests(device: ModelDevice, program: Path) -> list[tuple[str, int, int]]:
    """What came since the last time, in order of arrival. Before a job that reads, ours looks at
    one block in each of 64 parts of what it will read, for zeros: these are not the job's.
    """
    ops = sorted(device.log(), key=lambda op: op.arrival_ns)
    log = [(op.kind, op.offset, op.len) for op in ops]
    device.forget()
    if program == oracle.ORACLE or not log or log[0][0] != "r":
        return log
    looks = min(64, max(offset + size for _, offset, size in log) // 4096)
    places = [offset for _, offset, size in log[:looks] if size == 4096]
    assert len(places) == looks
    assert places == sorted(set(places))
    return log[looks:]


class Bed:
    """Where a case runs: prepared before each program, looked at after it."""

    def __init__(self, case: Case, room: Path, words: dict[str, str]):
        self.case = case
        self.room = room
        self.words = {"{dir}": str(room / "work"), "{job}": str(room / "case.fio"), **words}

    def fill_in(self, text: str) -> str:
        for word, value in self.words.items():
            text = text.replace(word, value)
        return text

    def prepare(self) -> None:
        work = self.room / "work"
        if work.exists():
            _empty(work)
        work.mkdir(parents=True, exist_ok=True)
        for name in self.case.folders:
            (work / name).mkdir()
        for name, size in self.case.files.items():
            coverage.paint(work / name, size)
        for name, text in self.case.texts.items():
            (work / name).write_text(self.fill_in(text), encoding="ascii")
        (self.room / "case.fio").write_text(self.fill_in(self.case.job), encoding="ascii")

    def found(self, _: Path) -> Any:
        """Every file below the folder: its size, and the sectors that are neither paint nor
        nothing.
        """
        work = self.room / "work"
        return {
            str(path.relative_to(work)): (path.stat().st_size, _written(path, self.case))
            for path in sorted(work.rglob("*"))
            if path.is_file() and path.name not in self.case.texts
        }


def _empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def _written(path: Path, case: Case) -> list[int]:
    if path.name in case.files:
        return coverage.changed_blocks(path, SECTOR)
    data = path.read_bytes()
    zero = bytes(SECTOR)
    return [at // SECTOR for at in range(0, len(data), SECTOR) if data[at : at + SECTOR] != zero]


def run_both(case: Case, bed: Bed, before: list[str], look: Callable[[Path], Any]) -> list[Any]:
    """What each program answered and what was found after it: theirs, ours."""
    seen = []
    args = ["--output-format=json", "--eta=never", *before]
    args += [bed.fill_in(word) for word in case.args.split()]
    stdin = bed.fill_in(case.job) if case.args == "-" else None
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        how = {"env": case.env, "cwd": bed.room, "stdin": stdin}
        bed.prepare()
        result = oracle.run(args, program=program, **how)
        seen.append((result, look(program)))
    return seen


def check(case: Case, theirs: Result, ours: Result) -> None:
    theirs.check(case.rc)
    ours.check(case.rc)
    if case.rc:
        return
    assert ours.err == ""
    a, b = ours.json(), oracle.jobs_json(theirs)
    if "mixed" in b["jobs"][0] and "read" not in b["jobs"][0]:
        assert [j["mixed"]["io_bytes"] for j in a["jobs"]] == [
            j["mixed"]["io_bytes"] for j in b["jobs"]
        ]
        return
    assert oracle.differences(a, b) == []
    assert [j["jobname"] for j in a["jobs"]] == [j["jobname"] for j in b["jobs"]]
    assert [j["groupid"] for j in a["jobs"]] == [j["groupid"] for j in b["jobs"]]
    if case.sync:
        syncs = [[j["sync"]["total_ios"] for j in x["jobs"]] for x in (a, b)]
        assert syncs[0] == syncs[1]


@pytest.mark.parametrize("name", ON_DEVICE)
def test_requests_at_the_device(
    name: str, device: ModelDevice, folder: Path, fio_face: Path
) -> None:
    case = ON_DEVICE[name]
    bed = Bed(case, folder, {})
    before = [f"--filename={device.file}", "--direct=1", "--name=j"]

    device.forget()
    look = partial(requests, device)
    (theirs, their_log), (ours, our_log) = run_both(case, bed, before, look)
    check(case, theirs, ours)
    if case.compare == ORDER:
        assert our_log == their_log
    elif case.compare == SET:
        assert Counter(our_log) == Counter(their_log)
    elif case.compare == KINDS:
        kinds = [Counter((kind, size) for kind, _, size in log) for log in (our_log, their_log)]
        assert kinds[0] == kinds[1]


@pytest.mark.parametrize("name", IN_FOLDER)
def test_files_in_a_folder(name: str, folder: Path, fio_face: Path) -> None:
    case = IN_FOLDER[name]
    bed = Bed(case, folder, {})
    before = [] if case.job or "global" in case.args else ["--name=j", "--direct=1"]
    if "{dir}" not in case.args + case.job:
        before.append("--directory=" + bed.fill_in("{dir}"))
    (theirs, their_files), (ours, our_files) = run_both(case, bed, before, bed.found)
    check(case, theirs, ours)
    if case.compare == FILES:
        our_files, their_files = [
            {name: size for name, (size, _) in files.items()} for files in (our_files, their_files)
        ]
    assert our_files == their_files


def on_block(case: Case, dev: str, folder: Path) -> None:
    bed = Bed(case, folder, {})
    bed_prepare = bed.prepare

    def prepare() -> None:
        bed_prepare()
        coverage.paint(dev, DEVICE_BYTES)

    bed.prepare = prepare  # type: ignore[method-assign]
    before = [f"--filename={dev}", "--direct=1", "--name=j"]
    (theirs, their_blocks), (ours, our_blocks) = run_both(
        case, bed, before, lambda _: coverage.changed_blocks(dev, SECTOR)
    )
    check(case, theirs, ours)
    assert our_blocks == their_blocks


@pytest.mark.parametrize("name", ON_LOOP)
def test_blocks_of_a_loop_device(name: str, loop: str, folder: Path, fio_face: Path) -> None:
    on_block(ON_LOOP[name], loop, folder)


@pytest.mark.parametrize("name", ON_ZRAM)
def test_blocks_of_a_zram_device(name: str, zram: str, folder: Path, fio_face: Path) -> None:
    on_block(ON_ZRAM[name], zram, folder)


# Where ours differs from fio's, and means to


def logs(device: ModelDevice, words: str) -> list[Any]:
    """Answer and log of each program: theirs, ours."""
    seen = []
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        device.forget()
        args = [f"--filename={device.file}", "--direct=1", "--name=j", *words.split()]
        answer = oracle.jobs_json(oracle.fio(args, program=program).check())
        log = requests(device, program)
        seen.append((answer["jobs"][0], [(offset, size) for _, offset, size in log]))
    return seen


@pytest.mark.parametrize("rw", ["read", "write"])
def test_last_request_stays_inside_the_size(rw: str, device: ModelDevice, fio_face: Path) -> None:
    """fio's last request of a sequential job begins inside the size and may end behind it, in what
    belongs to others: --bs=12k --size=64k writes 72k. Ours ends before.
    """
    (_, theirs), (job, ours) = logs(device, f"--rw={rw} --bs=12k --size=64k")
    assert ours == theirs[:-1]
    assert sum(theirs[-1]) > 64 * KIB
    assert job[rw]["io_bytes"] == 60 * KIB


def test_random_groups_do_not_end_the_job(device: ModelDevice, fio_face: Path) -> None:
    """With randread:8 fio's job is over when a group of 8 runs into the end of the size, and
    reads less than was asked. Ours takes a new place.
    """
    words = "--rw=randread:8 --size=1m --norandommap"
    (job, theirs), (_, ours) = logs(device, words)
    assert job["error"] == 0
    assert len(theirs) < 256
    assert len(ours) == 256
    follows = sum(a[0] + a[1] == b[0] for a, b in zip(ours, ours[1:], strict=False))
    assert follows >= 256 * 6 // 8


def test_fdatasyncs_are_counted(device: ModelDevice, fio_face: Path) -> None:
    """3.33 times them, but leaves the count at 0."""
    (their_job, _), (job, log) = logs(device, "--rw=write --size=256k --fdatasync=7")
    assert their_job["sync"]["total_ios"] == 0
    assert job["sync"]["total_ios"] == log.count((0, 0)) == 9


def test_growing_a_file_keeps_what_it_held(scratch: Scratch, fio_face: Path) -> None:
    """fio lays a file that is too short out anew, over the data that it held. Ours adds what is
    missing.
    """
    found = []
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        file = scratch.path / "data"
        file.unlink(missing_ok=True)
        coverage.paint(file, 128 * KIB)
        words = ["--name=j", f"--filename={file}", "--rw=read", "--size=512k"]
        answer = oracle.jobs_json(oracle.fio(words, program=program).check())
        assert answer["jobs"][0]["read"]["io_bytes"] == 512 * KIB
        found.append(coverage.changed_blocks(file))
    assert found == [list(range(128)), list(range(32, 128))]


def test_clones_are_listed_by_their_number(scratch: Scratch, fio_face: Path) -> None:
    """fio starts and lists the first clone, and then the others from the last one down: its second
    job is the clone whose files are j.2.*. Ours are in the order of their numbers.
    """
    found = []
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        words = ["--name=j", f"--directory={scratch.path}", "--rw=write", "--filesize=64k"]
        words += ["--offset_increment=16k", "--numjobs=3"]
        answer = oracle.jobs_json(oracle.fio(words, program=program).check())
        found.append([job["write"]["io_bytes"] >> 10 for job in answer["jobs"]])
    assert found == [[64, 32, 48], [64, 48, 32]]


def test_sizes_by_direction_still_cover_each_block(device: ModelDevice, fio_face: Path) -> None:
    """Where the sizes of reads and writes differ, 3.33 ends a random job before it met all."""
    (theirs, _), (ours, log) = logs(device, "--rw=randwrite --bs=4k,8k --size=1m")
    assert theirs["write"]["io_bytes"] < MIB
    assert ours["write"]["io_bytes"] == MIB
    assert sorted(offset for offset, _ in log) == list(range(0, MIB, 8 * KIB))


def test_less_than_a_request_in_percent_is_one_request(device: ModelDevice, fio_face: Path) -> None:
    """As with io_size=2k, of which both make one request; fio refuses io_size=1 % of 64k."""
    words = [f"--filename={device.file}", "--name=j", "--rw=read", "--bs=4k", "--size=64k"]
    words.append("--io_size=1%")
    assert oracle.fio(words).rc == 1
    answer = oracle.fio(words, program=oracle.FIO_FACE).check().json()
    assert answer["jobs"][0]["read"]["total_ios"] == 1


def test_reads_of_files_made_on_open_are_laid_out(scratch: Scratch, fio_face: Path) -> None:
    """fio opens an empty file and fails at the first read."""
    words = ["--name=j", f"--directory={scratch.path}", "--rw=read", "--size=64k"]
    words.append("--create_on_open=1")
    assert oracle.fio(words).rc == 1
    (scratch.path / "j.0.0").unlink()
    answer = oracle.fio(words, program=oracle.FIO_FACE).check().json()
    assert answer["jobs"][0]["read"]["io_bytes"] == 64 * KIB


def test_files_of_a_range_differ_and_keep_to_size(scratch: Scratch, fio_face: Path) -> None:
    """Each file draws its own length, in whole blocks; all together no more than size is moved."""
    words = ["--name=j", f"--directory={scratch.path}", "--rw=write", "--bs=4k", "--nrfiles=8"]
    words += ["--filesize=64k-256k", "--size=600k"]
    answer = oracle.jobs_json(oracle.fio(words, program=oracle.FIO_FACE).check())
    lengths = [path.stat().st_size for path in scratch.path.iterdir()]
    assert answer["jobs"][0]["write"]["io_bytes"] == 600 << 10
    assert len(lengths) == 8 and len(set(lengths)) > 2
    assert all(64 << 10 <= length <= 256 << 10 and length % 4096 == 0 for length in lengths)


# Chance and time


@pytest.mark.parametrize("rw", ["randrw", "rw"])
@pytest.mark.parametrize("percent", [10, 50, 70])
def test_mixes_are_those_asked(rw: str, percent: int, device: ModelDevice, fio_face: Path) -> None:
    """Both toss a coin for each request: within four deviations of the share, and of all the same
    number.
    """
    n = 1024
    words = f"--rw={rw} --rwmixread={percent} --size=4m --number_ios={n} --randseed=5"
    (theirs, their_log), (ours, our_log) = logs(device, words)
    assert len(our_log) == len(their_log) == n
    most = 4 * (n * percent / 100 * (1 - percent / 100)) ** 0.5
    for job in (theirs, ours):
        assert job["read"]["total_ios"] == pytest.approx(n * percent / 100, abs=most)
        assert job["read"]["total_ios"] + job["write"]["total_ios"] == n


def test_mixes_over_odd_files_are_chance(scratch: Scratch, fio_face: Path) -> None:
    """Reads and writes go through a file each at its own place, and the tosses say at which end a
    file of 3 1/4 requests is over: the sum is chance, and the same chance in both.
    """
    words = ["--name=j", f"--directory={scratch.path}", "--rw=rw", "--rwmixread=95"]
    words += ["--nrfiles=5", "--filesize=13k"]
    seen = []
    for program in (oracle.ORACLE, oracle.FIO_FACE):
        sums = set()
        for seed in range(1, 13):
            answer = oracle.fio([*words, f"--randseed={seed}"], program=program).check()
            job = oracle.jobs_json(answer)["jobs"][0]
            sums.add(job["read"]["total_ios"] + job["write"]["total_ios"])
        seen.append(sums)
    assert seen[0] == seen[1] == {15, 16, 17}


def test_mixed_sizes_fill_the_size(device: ModelDevice, fio_face: Path) -> None:
    for words in (
        "--rw=write --bsrange=4k-16k --size=1m",
        "--rw=randwrite --bsrange=4k-16k --size=1m",
        "--rw=randwrite --bssplit=4k/50:8k/25:64k/ --size=1m",
    ):
        (theirs, _), (ours, log) = logs(device, words)
        assert ours["write"]["io_bytes"] == theirs["write"]["io_bytes"], words
        assert max(offset + size for offset, size in log) <= MIB, words


@pytest.mark.parametrize(
    "words",
    [
        "--time_based --runtime=1 --number_ios=50",
        "--time_based --runtime=1 --size=64k",
        "--time_based --runtime=1 --ramp_time=1 --number_ios=50",
        "--runtime=1 --loops=1000",
        "--time_based --runtime=1 --io_size=16k",
    ],
)
def test_time_stops_both_alike(words: str, device: ModelDevice, fio_face: Path) -> None:
    """At 500 requests a second, so that counts can be compared as well."""
    args = f"--rw=read --size=256k --rate_iops=500 {words}"
    (theirs, _), (ours, _) = logs(device, args)
    for job in (theirs, ours):
        assert job["read"]["runtime"] == pytest.approx(1000, abs=20)
    assert ours["read"]["total_ios"] == pytest.approx(500, abs=15)
    assert theirs["read"]["total_ios"] > 400
