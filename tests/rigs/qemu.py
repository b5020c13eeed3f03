"""A file served by qemu-storage-daemon: a smooth rate, and errors at given places."""

import json
import os

from .held import tool
from .rig import Rig

SECTOR = 512


class QemuFile(Rig):
    """Good for a rate with smooth latency (about 2 % above the limit), and for errors at a place
    on the medium: `errors` lists (iotype "read", "write" or "flush", offset in bytes, errno,
    once). An injected flush error does not reach fsync through this export. Not for exact rates:
    see Throttle.
    """

    programs = ("qemu-storage-daemon", "setpriv", "umount")

    def __init__(
        self,
        size: int = 64 << 20,
        *,
        read_iops: int = 0,
        write_iops: int = 0,
        read_bps: int = 0,
        write_bps: int = 0,
        errors: tuple[tuple[str, int, int, bool], ...] = (),
    ):
        self.size = size
        self.limits = {
            "iops-read": read_iops,
            "iops-write": write_iops,
            "bps-read": read_bps,
            "bps-write": write_bps,
        }
        self.errors = errors

    @classmethod
    def lacks(cls) -> str | None:
        if not os.path.exists("/dev/fuse"):
            return "no FUSE"
        exports = tool("qemu-storage-daemon", "--help")
        return None if "FUSE" in exports else "qemu-storage-daemon without FUSE"

    def up(self) -> None:
        room = self.folder("qemu")
        self.backing = room / "backing"
        with open(self.backing, "wb") as file:
            file.truncate(self.size)
        self.file = room / "disk"
        self.file.touch()
        self.hold("mount", self.file)
        daemon = self.start(["qemu-storage-daemon", *self._blockdevs(), *self._export()])
        self.wait_ready(daemon, lambda: os.path.getsize(self.file) == self.size)

    def _blockdevs(self) -> list[str]:
        rules = [
            # Of the events only "none" fires on a raw file.
            dict(event="none", iotype=kind, sector=offset // SECTOR, errno=errno, once=once)
            for kind, offset, errno, once in self.errors
        ]
        inject = {"inject-error": rules} if rules else {}  # an empty list is an error
        limits = [f"limits.{key}={value}" for key, value in self.limits.items() if value]
        nodes = [
            {"driver": "file", "node-name": "file", "filename": str(self.backing)},
            {"driver": "blkdebug", "node-name": "errors", "image": "file"} | inject,
            {
                "driver": "throttle",
                "node-name": "rate",
                "file": "errors",
                "throttle-group": "limits",
            },
        ]
        argv = ["--object", ",".join(["throttle-group", "id=limits", *limits])]
        for node in nodes:
            argv += ["--blockdev", json.dumps(node)]
        return argv

    def _export(self) -> list[str]:
        return ["--export", f"type=fuse,id=disk,node-name=rate,mountpoint={self.file},writable=on"]
