"""What the kernel counted at a block device: a check of our figures that owes nothing to us."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

SECTOR = 512


@dataclass(frozen=True)
class BlockStat:
    """/sys/block/NAME/stat. Requests are counted after the block layer split or merged them;
    bytes never change.
    """

    reads: int = 0
    read_bytes: int = 0
    writes: int = 0
    write_bytes: int = 0
    discards: int = 0
    discard_bytes: int = 0
    flushes: int = 0

    @classmethod
    def of(cls, device: str) -> Self:
        text = Path(f"/sys/block/{Path(device).name}/stat").read_text(encoding="ascii")
        f = [int(word) for word in text.split()]
        f += [0] * (17 - len(f))
        return cls(f[0], f[2] * SECTOR, f[4], f[6] * SECTOR, f[11], f[13] * SECTOR, f[15])

    def __sub__(self, old: "BlockStat") -> "BlockStat":
        return BlockStat(*(getattr(self, n) - getattr(old, n) for n in self.__dataclass_fields__))


class Counted:
    """with Counted(loop.dev) as c: ...    then c.delta.reads is what arrived in between."""

    def __init__(self, device: str):
        self.device = device

    def __enter__(self) -> Self:
        self.before = BlockStat.of(self.device)
        self.delta = BlockStat()
        return self

    def __exit__(self, *_: object) -> None:
        self.delta = BlockStat.of(self.device) - self.before
