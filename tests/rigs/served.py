"""A simulated drive as a file, by the program under test."""

import os
import subprocess
import time
from pathlib import Path

from . import realtime
from .assay import ASSAY, run
from .model import Op
from .rig import Rig


class Served(Rig):
    """A simulated drive served by the program under test: file, log, control."""

    needs_root = False
    programs = ("setpriv", "fusermount3")

    def __init__(self, profile: str, *, backing: Path | None = None, state: Path | None = None):
        self.profile = profile
        self.backing = backing
        self.state = state

    @classmethod
    def lacks(cls) -> str | None:
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            return "no FUSE"
        found = subprocess.run(["ldd", ASSAY], capture_output=True, text=True, check=False)
        return None if "libfuse3" in found.stdout else "assay was built without libfuse3"

    def up(self) -> None:
        room = self.folder("served")
        self.mount = room / "mnt"
        self.mount.mkdir()
        self.log_file = room / "log"
        self.hold("mount", self.mount)
        argv = [str(ASSAY), "sim", "serve", self.profile, str(self.mount), f"--log={self.log_file}"]
        if self.backing:
            argv.append(f"--backing={self.backing}")
        if self.state:
            argv.append(f"--state={self.state}")
        argv = realtime.fifo_if_allowed(argv, realtime.MODEL_PRIORITY)
        self.server = self.start(argv, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout
        if "simulated" not in self.server.stdout.readline():
            raise OSError("assay sim serve did not start")
        self.file = self.mount / "disk"

    def control(self, verb: str, *words: str) -> None:
        run(["sim", verb, self.mount, *words]).check()

    def health(self) -> dict:
        return run(["sim", "health", self.mount, "--format=json"]).check().json()

    def log(self) -> list[Op]:
        """Complete up to now once nothing is in flight."""
        time.sleep(0.05)
        fields = (line.split() for line in self.log_file.read_text(encoding="ascii").splitlines())
        return [
            Op(int(f[0]), int(f[1]), int(f[2]), f[3], int(f[4]), int(f[5]), int(f[6]))
            for f in fields
        ]

    def down(self) -> list[str]:
        errors = super().down()
        if hasattr(self, "server") and self.server.stdout:
            self.server.stdout.close()
        return errors
