"""A known rate: the kernel's block throttle (cgroup v1 blkio)."""

import os
from collections.abc import Sequence
from pathlib import Path

from . import places
from .rig import Rig

BLKIO = Path("/sys/fs/cgroup/blkio")


class Throttle(Rig):
    """Good for rates, durations and steady state: within 1 % of the limit over 10 s, however busy
    the machine. Not for latency (requests pass in bursts, one per 100 ms slice), and not for
    buffered writes, which escape it. device is a block device, or a file: then the device below
    its file system.
    """

    def __init__(
        self,
        device: str | Path,
        *,
        read_iops: int = 0,
        write_iops: int = 0,
        read_bps: int = 0,
        write_bps: int = 0,
    ):
        self.device = device
        self.limits = {
            "read_iops_device": read_iops,
            "write_iops_device": write_iops,
            "read_bps_device": read_bps,
            "write_bps_device": write_bps,
        }

    @classmethod
    def lacks(cls) -> str | None:
        there = os.path.exists(BLKIO / "blkio.throttle.read_iops_device")
        return None if there else "no blkio cgroup (v1)"

    def up(self) -> None:
        self.number = device_number(self.device)
        self.group = BLKIO / f"assay-rig-{places.SESSION}-{id(self):x}"
        self.hold("cgroup", self.group)
        self.group.mkdir()
        for key, limit in self.limits.items():
            if limit:
                self.set(key, limit)

    def set(self, key: str, limit: int) -> None:
        """Changes one limit, during a run as well; 0 lifts it."""
        page = self.group / f"blkio.throttle.{key}"
        page.write_text(f"{self.number} {limit}", encoding="ascii")

    def wrap(self, argv: Sequence[str | Path]) -> list[str]:
        """The command that runs argv inside; all its children and io-wq threads count."""
        join = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
        return ["/bin/sh", "-c", join, str(self.group), *map(str, argv)]

    def serviced(self) -> dict[str, int]:
        """Requests that the kernel let through, by "Read" and "Write": an independent count."""
        counts = {"Read": 0, "Write": 0}
        text = (self.group / "blkio.throttle.io_serviced").read_text(encoding="ascii")
        for line in text.splitlines():
            words = line.split()
            if words[0] == self.number and words[1] in counts:
                counts[words[1]] = int(words[2])
        return counts


def device_number(path: str | Path) -> str:
    info = os.stat(path)
    number = info.st_rdev or info.st_dev
    return f"{os.major(number)}:{os.minor(number)}"
