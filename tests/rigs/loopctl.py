"""Loop devices by ioctl: losetup cannot label one, and the path of its file is no proof of whose
it is (a detached mount takes the folders away from it).
"""

import errno
import fcntl
import os
import struct
from dataclasses import dataclass
from pathlib import Path

READ_ONLY, DIRECT_IO = 1, 16

# linux/loop.h. struct loop_config is fd, block size, struct loop_info64 and 64 spare bytes.
LOOP_CLR_FD, LOOP_GET_STATUS64, LOOP_CONFIGURE, LOOP_CTL_GET_FREE = 0x4C01, 0x4C05, 0x4C0A, 0x4C82
INFO = struct.Struct("=40x12xI64s112x")  # flags and the name that we give
CONFIG = struct.Struct(f"=II{INFO.size}s64x")


def free_device() -> str:
    """One that is free at this moment; attach says whether it still is."""
    control = os.open("/dev/loop-control", os.O_RDWR)
    try:
        return f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
    finally:
        os.close(control)


@dataclass(frozen=True)
class How:
    """sector_size 0: the kernel's choice."""

    label: str
    read_only: bool = False
    direct_io: bool = False
    sector_size: int = 0


def attach(device: str, backing: Path, how: How) -> bool:
    """False if someone else was quicker."""
    mode = os.O_RDONLY if how.read_only else os.O_RDWR
    flags = (READ_ONLY if how.read_only else 0) | (DIRECT_IO if how.direct_io else 0)
    info = INFO.pack(flags, how.label.encode())
    file = os.open(backing, mode)
    try:
        node = os.open(device, mode)
        try:
            fcntl.ioctl(node, LOOP_CONFIGURE, CONFIG.pack(file, how.sector_size, info))
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False
            raise
        finally:
            os.close(node)
    finally:
        os.close(file)
    return True


def label_of(device: str) -> str:
    """What attach wrote on it; empty if it is free, or not there."""
    try:
        node = os.open(device, os.O_RDONLY)
    except OSError:
        return ""
    try:
        info = fcntl.ioctl(node, LOOP_GET_STATUS64, bytes(INFO.size))
    except OSError:  # ENXIO: free
        return ""
    finally:
        os.close(node)
    return INFO.unpack(info)[1].rstrip(b"\0").decode(errors="replace")


def detach(device: str) -> None:
    """At once, or when the last one that has it open closes it."""
    node = os.open(device, os.O_RDONLY)
    try:
        fcntl.ioctl(node, LOOP_CLR_FD)
    finally:
        os.close(node)


def attached() -> list[str]:
    return ["/dev/" + node.parts[3] for node in Path("/sys/block").glob("loop*/loop")]
