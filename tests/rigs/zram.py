"""zram: block devices in compressed memory."""

import os
from pathlib import Path

from . import ledger
from .held import zram_inode
from .rig import Rig

CONTROL = Path("/sys/class/zram-control")


class Zram(Rig):
    """Good for a fast block device of 4 KiB sectors, for data patterns (zeros cost nothing,
    random data is stored whole), and with mem_limit for a device that fails with EIO at a known
    amount of data. Not for NOWAIT: io_uring hands every request to io-wq, so it says nothing
    about engines. zram0 is never touched.
    """

    def __init__(self, size: int = 64 << 20, *, algorithm: str = "", mem_limit: int = 0):
        self.size = size
        self.algorithm = algorithm
        self.mem_limit = mem_limit

    @classmethod
    def lacks(cls) -> str | None:
        return None if os.path.exists(CONTROL / "hot_add") else "no zram"

    def up(self) -> None:
        with ledger.shielded():
            number = (CONTROL / "hot_add").read_text(encoding="ascii").strip()
            self.hold("zram", number, zram_inode(number))
        self.name = f"zram{number}"
        self.dev = f"/dev/{self.name}"
        if self.algorithm:
            self._set("comp_algorithm", self.algorithm)
        self._set("disksize", str(self.size))
        if self.mem_limit:
            self._set("mem_limit", str(self.mem_limit))

    def stored_bytes(self) -> int:
        """Memory that the data takes at this moment, compressed."""
        return int(Path(f"/sys/block/{self.name}/mm_stat").read_text(encoding="ascii").split()[1])

    def _set(self, key: str, value: str) -> None:
        Path(f"/sys/block/{self.name}/{key}").write_text(value, encoding="ascii")
