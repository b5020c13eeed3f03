"""Mounted file systems of our own: any kind, full, read-only."""

import os
from pathlib import Path

from .held import tool
from .loop import Loop
from .rig import Rig

MKFS = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}
SMALLEST = {"ext4": 4 << 20, "xfs": 300 << 20, "btrfs": 128 << 20, "tmpfs": 1 << 16}


def kind_why_not(kind: str) -> str | None:
    """Why this machine has no such file system; the class cannot know which one will be asked
    for.
    """
    with open("/proc/filesystems", encoding="ascii") as table:
        if kind not in {line.split()[-1] for line in table}:
            return f"no {kind} in the kernel"
    return tool_why_not(MKFS[kind][0]) if kind in MKFS else None


def tool_why_not(program: str) -> str | None:
    folders = os.environ["PATH"].split(":")
    return None if any(os.access(f"{f}/{program}", os.X_OK) for f in folders) else f"no {program}"


class FileSystem(Rig):
    """ext4, xfs, btrfs on a loop device, or tmpfs. Good for what differs between them: extents,
    CoW, O_DIRECT, statx, fallocate, free space. Not for speed. Sizes below the least that mkfs
    takes are raised to it.
    """

    programs = ("mount", "umount")

    def __init__(self, kind: str = "ext4", size: int = 64 << 20, *, options: str = ""):
        self.kind = kind
        self.size = max(size, SMALLEST[kind])
        self.options = options
        self.device: str | None = None

    def up(self) -> None:
        self.path = self.folder(self.kind)
        source = "assay-rig"
        options = self.options
        if self.kind == "tmpfs":
            options = ",".join(filter(None, [f"size={self.size}", options]))
        else:
            self.loop = self.use(Loop(self.size))
            self.device = source = self.loop.dev
            tool(*MKFS[self.kind], source)
        self.hold("mount", self.path)
        tool("mount", "-t", self.kind, *(["-o", options] if options else []), source, self.path)

    def free(self) -> int:
        """Bytes that an ordinary user could still write."""
        info = os.statvfs(self.path)
        return info.f_bavail * info.f_frsize

    def file(self, name: str, content: bytes = b"") -> Path:
        path = self.path / name
        path.write_bytes(content)
        return path


class FullFileSystem(FileSystem):
    """A file system that is full but for about `leave` bytes. Good for ENOSPC, met early or half
    way. On ext4 root could use the reserved blocks: none are kept here.
    """

    def __init__(self, kind: str = "tmpfs", size: int = 16 << 20, *, leave: int = 0):
        super().__init__(kind, size)
        self.leave = leave

    def up(self) -> None:
        super().up()
        if self.kind == "ext4":
            tool("tune2fs", "-m", "0", self.device or "")
        ballast = self.path / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(b"\xa5" * 65536):
                    pass
            except OSError:
                pass
            os.fsync(file.fileno())
            os.truncate(ballast, max(0, os.path.getsize(ballast) - self.leave))
        os.sync()


class ReadOnlyFileSystem(FileSystem):
    """A file system mounted read-only, with one file `data` of `content` on it. Good for EROFS
    and reads that must still work.
    """

    def __init__(
        self, kind: str = "ext4", size: int = 64 << 20, *, content: bytes = b"\xa5" * (1 << 20)
    ):
        super().__init__(kind, size)
        self.content = content

    def up(self) -> None:
        super().up()
        self.data = self.file("data", self.content)
        tool("mount", "-o", "remount,ro", self.path)
