"""Where the buffers of a job lie (mem, iomem_align): each form works or is refused in words."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import FIO_FACE, Running, run

HUGE_FREE = int(Path("/proc/sys/vm/nr_hugepages").read_text())


def job(path: Path, *more: str) -> list[str]:
    return ["--name=j", f"--filename={path}", "--size=1m", "--rw=read", "--bs=64k", *more]


@pytest.fixture
def data(scratch: Any, assay: Path) -> Path:
    return scratch.file("data", content=os.urandom(1 << 20))


@pytest.mark.parametrize("engine", ["psync", "libaio", "io_uring --fixedbufs=1"])
@pytest.mark.parametrize("mem", ["malloc", "shm", "mmap", "mmapshared", "mmap:{}/m", "mmapshared:{}/m"])
def test_each_kind_of_memory(mem: str, engine: str, data: Path) -> None:
    """A file behind the buffers never gets its name, and one of that name stays as it is."""
    kept = data.parent / "m"
    kept.write_text("not ours")
    more = [f"--mem={mem.format(data.parent)}", f"--ioengine={engine}", "--iodepth=4", "--numjobs=3"]
    words = job(data, *" ".join(more).split())
    result = run(["run", "--format=json", *words])
    if mem == "mmapshared:{}/m" and "fixedbufs" in engine and result.rc == 6:
        # by the file system: memory of a file that is written back cannot be registered
        assert "take another mem" in result.err
        return
    answer = result.check().json()
    assert sum(group["read"]["bytes"] for group in answer["groups"]) == 3 << 20
    assert kept.read_text() == "not ours"
    assert sorted(p.name for p in data.parent.iterdir()) == ["data", "m"]


def test_the_buffers_lie_in_the_file(data: Path) -> None:
    words = job(data, f"--mem=mmapshared:{data.parent}/m", "--bs=256k", "--time_based", "--runtime=20",
                "--rate_iops=10", "--ioengine=libaio", "--iodepth=4")  # fmt: skip
    with Running(["run", *words]) as running:
        end = time.monotonic() + 10
        mapped: list[str] = []
        while not mapped and time.monotonic() < end:
            time.sleep(0.05)
            maps = Path(f"/proc/{running.pid}/maps").read_text().splitlines()
            mapped = [line for line in maps if str(data.parent) in line and " rw-s " in line]
        running.signal(signal.SIGINT)
        running.finish(20).check(128 + signal.SIGINT)
    first, last = (int(edge, 16) for edge in mapped[0].split()[0].split("-"))
    assert last - first == 4 * 256 * 1024
    assert mapped[0].endswith("(deleted)")


@pytest.mark.parametrize("mem", ["shmhuge", "mmaphuge"])
@pytest.mark.parametrize("program", ["native", "fio"])
def test_huge_pages_that_are_not_there(mem: str, program: str, data: Path) -> None:
    """Once the mapping was made without a reservation, and the first touch was a SIGBUS."""
    words = job(data, f"--mem={mem}", "--bs=1m", "--iodepth=4", "--ioengine=libaio")
    result = run(words, program=FIO_FACE) if program == "fio" else run(["run", *words])
    if HUGE_FREE >= 2:
        result.check()
        return
    result.check(1 if program == "fio" else 6)
    assert "nr_hugepages" in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_files_that_cannot_hold_buffers(data: Path) -> None:
    folder = data.parent
    for mem, rc, says in (
        (f"mmap:{folder}/none/m", 6, "none"),
        ("mmap:/dev/null", 4, "/dev/null"),
        (f"mmaphuge:{folder}/m", 6, "hugetlbfs"),
        ("mmap:/proc/m", 6, "/proc"),
    ):
        result = run(["run", *job(data, f"--mem={mem}")]).check(rc)
        assert says in result.err
    assert list(folder.iterdir()) == [data]


@pytest.mark.parametrize("align", ["512", "4k", "64k", "2m"])
def test_alignment_of_buffers(align: str, data: Path) -> None:
    """Direct requests would fail on a buffer that is not aligned."""
    run(["run", *job(data, f"--iomem_align={align}", "--bs=512", "--size=64k")]).check()
