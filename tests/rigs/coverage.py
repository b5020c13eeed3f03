"""Which blocks of a file or device a run touched, found out without asking the program that ran."""

import ctypes
import mmap
import os
from pathlib import Path

PAINT = b"assay rig paint."
PAGE = mmap.PAGESIZE


def paint(path: str | Path, size: int) -> None:
    """Fills path with the known pattern that `changed_blocks` looks for, and out of the page
    cache.
    """
    chunk = PAINT * (65536 // len(PAINT))
    with open(path, "r+b" if os.path.exists(path) else "w+b", buffering=0) as file:
        for at in range(0, size, len(chunk)):
            file.write(chunk[: min(len(chunk), size - at)])
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def changed_blocks(path: str | Path, block: int = 4096) -> list[int]:
    """Numbers of the blocks that are not paint any more: the coverage of writes. Not for
    zero-length tails.
    """
    endless = PAINT * (block // len(PAINT) + 2)
    changed = []
    with open(path, "rb") as file:
        number = 0
        while data := file.read(block):
            start = number * block % len(PAINT)
            if data != endless[start : start + len(data)]:
                changed.append(number)
            number += 1
    return changed


def data_extents(path: str | Path) -> list[tuple[int, int]]:
    """(start, end) of the parts that the file system says hold data: written parts of a file that
    began as a hole.
    """
    extents = []
    with open(path, "rb") as file:
        at, end = 0, os.fstat(file.fileno()).st_size
        while at < end:
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # ENXIO: only a hole is left
                break
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            extents.append((start, at))
    return extents


def resident_pages(path: str | Path) -> list[int]:
    """Numbers of the pages in the page cache: what buffered reads touched, if nothing was cached
    before and read-ahead is off (fadvise random, or blockdev --setra 0). Empty after direct I/O.
    """
    size = os.path.getsize(path)
    if size == 0:
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), size) as area:
        state = (ctypes.c_ubyte * ((size + PAGE - 1) // PAGE))()
        anchor = ctypes.c_char.from_buffer(area)
        failed = libc.mincore(ctypes.addressof(anchor), size, state)
        del anchor  # or the mapping could not be closed
        if failed:
            raise OSError(ctypes.get_errno(), "mincore")
        return [page for page, bits in enumerate(state) if bits & 1]
