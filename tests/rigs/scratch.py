"""A folder of our own below the build folder, never in git's tree."""

from pathlib import Path

from .held import tool
from .rig import Rig


class Scratch(Rig):
    """Good for files that a test makes. On the build folder's file system: real, slow, shared by
    all.
    """

    needs_root = False

    def __init__(self, name: str = "scratch"):
        self.name = name

    def up(self) -> None:
        self.path = self.folder(self.name)

    def file(self, name: str, size: int = 0, content: bytes = b"") -> Path:
        """A file of the given content, then a hole up to size."""
        path = self.path / name
        with open(path, "wb") as file:
            file.write(content)
            file.truncate(max(size, len(content)))
        return path


class RamScratch(Scratch):
    """The same on a tmpfs: fast and even. Not for NOWAIT, DIOALIGN or anything that only a disk
    has.
    """

    needs_root = True
    programs = ("mount", "umount")

    def __init__(self, name: str = "ram", size: int = 1 << 30):
        super().__init__(name)
        self.size = size

    def up(self) -> None:
        super().up()
        self.hold("mount", self.path)
        tool("mount", "-t", "tmpfs", "-o", f"size={self.size}", "assay-rig", self.path)
