"""Loop devices: true block devices over a file."""

import os
from pathlib import Path

from . import loopctl, places
from .rig import Rig
from .scratch import RamScratch, Scratch

LABEL = "assay-rig"


class Loop(Rig):
    """Good for everything that wants a block device: NOWAIT, discard, sector sizes, read-only,
    io_uring. Not for figures of speed. With ram=True the file lies on a tmpfs: quicker, but no
    direct_io and no write-zeroes. backing is a file of the caller's.
    """

    def __init__(
        self,
        size: int = 64 << 20,
        *,
        backing: Path | None = None,
        direct_io: bool = False,
        sector_size: int = 0,
        read_only: bool = False,
        ram: bool = False,
    ):
        self.size = size
        self.given = backing
        self.direct_io = direct_io
        self.sector_size = sector_size
        self.read_only = read_only
        self.ram = ram

    @classmethod
    def lacks(cls) -> str | None:
        return None if os.path.exists("/dev/loop-control") else "no loop devices"

    def up(self) -> None:
        self.backing = self.given or self._make_backing()
        label = f"{LABEL}-{places.SESSION}-{id(self):x}"
        how = loopctl.How(label, self.read_only, self.direct_io, self.sector_size)
        while True:
            self.dev = loopctl.free_device()
            thing = self.hold("loop", self.dev, label)
            if loopctl.attach(self.dev, self.backing, how):
                break
            self.release(thing)
        self.name = Path(self.dev).name

    def _make_backing(self) -> Path:
        room = RamScratch("loop", self.size + (1 << 20)) if self.ram else Scratch("loop")
        return self.use(room).file("backing", self.size)


class TruncatedLoop(Loop):
    """A loop device whose file was cut short below it: reads and writes at `keep` and beyond end
    in EIO. Good for media errors at a known place. Not for buffered reads of the last page before
    it.
    """

    def __init__(self, size: int = 16 << 20, *, keep: int = 8 << 20, direct_io: bool = False):
        super().__init__(size, direct_io=direct_io)
        self.keep = keep

    def up(self) -> None:
        super().up()
        os.truncate(self.backing, self.keep)
