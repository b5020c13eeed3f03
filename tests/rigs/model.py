"""The model device: a file whose timing is known to the microsecond, with the device's own log of
every request.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import places, realtime
from .held import tool
from .rig import Rig

SOURCE = Path(__file__).with_name("modeldev.c")
FLAGS = "-std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror".split()


@dataclass(frozen=True, slots=True)
class Op:
    """One request as the device saw it. kind is r, w, f (fsync) or t (hole punched); times are
    CLOCK_MONOTONIC.
    """

    arrival_ns: int
    due_ns: int
    done_ns: int
    kind: str
    offset: int
    len: int
    error: int

    @property
    def wait_ns(self) -> int:
        return self.done_ns - self.arrival_ns


class ModelDevice(Rig):
    """`servers` serve one request each for `service_ns`; each reply takes `latency_ns` more,
    which occupies no server. Good for latency, depth, errors at known counts, stalls, and for the
    truth about which requests were sent (log). Not for throughput beyond some 50,000 a second.
    What FUSE adds, 50 to 90 us a request, is in a generator's figures and not in the log. `file`
    takes direct I/O through any engine; a Loop over it makes it a block device.
    """

    needs_root = False
    programs = ("gcc", "pkg-config", "setpriv")

    def __init__(
        self,
        size: int = 64 << 20,
        *,
        servers: int = 1,
        service_ns: int = 0,
        latency_ns: int = 0,
        fifo: bool = True,
    ):
        self.arguments = [size, servers, service_ns, latency_ns]
        self.fifo = fifo

    @classmethod
    def lacks(cls) -> str | None:
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            return "no FUSE"
        if os.geteuid() != 0 and not shutil.which("fusermount3"):
            return "no fusermount3"
        found = subprocess.run(["pkg-config", "--exists", "fuse3"], check=False)
        return None if found.returncode == 0 else "no libfuse3-dev"

    def up(self) -> None:
        program = build()
        self.room = self.folder("model")
        mount = self.room / "mnt"
        mount.mkdir()
        self.hold("mount", mount)
        argv = [str(program), str(mount), *map(str, self.arguments)]
        if self.fifo:
            argv = realtime.fifo_if_allowed(argv, realtime.MODEL_PRIORITY)
        self.server = self.start(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._answer() != "ready":
            raise OSError("modeldev did not start")
        self.file = mount / "disk"

    def stall(self, seconds: float, *, after_ops: int = 0) -> None:
        """Serves nothing for so long: from now, or from the arrival of the after_ops-th request
        from now on.
        """
        self._command(f"stall {round(seconds * 1e9)} {after_ops}")

    def hang(self) -> None:
        """Serves nothing until resume. A process with a request here cannot even be killed."""
        self.stall(1e6)

    def resume(self) -> None:
        """Ends a stall or hang, and answers at once all that wait."""
        self._command("resume")

    def vanish(self) -> None:
        """The device is gone: requests under way and later ones end in ENOTCONN, ECONNABORTED or,
        through a Loop, EIO. There is no log any more.
        """
        self.server.kill()
        self.server.wait()

    def fail_every(self, every: int, error: int) -> None:
        """Every n-th read or write from now on ends with this errno, the first n - 1 do not; 0
        ends it.
        """
        self._command(f"error {every} {error}")

    def set_service(self, service_ns: int) -> None:
        self._command(f"service {service_ns}")

    def set_latency(self, latency_ns: int) -> None:
        self._command(f"latency {latency_ns}")

    def forget(self) -> None:
        """Empties the log: call it between laying out and measuring."""
        self._command("forget")

    def log(self) -> list[Op]:
        """Every request answered so far (the first four million), in the order of the answers."""
        page = self.room / "log"
        self._command(f"log {page}")
        ops = []
        for line in page.read_text(encoding="ascii").splitlines():
            f = line.split()
            ops.append(Op(int(f[0]), int(f[1]), int(f[2]), f[3], int(f[4]), int(f[5]), int(f[6])))
        return ops

    def _command(self, line: str) -> None:
        assert self.server.stdin
        self.server.stdin.write(line + "\n")
        self.server.stdin.flush()
        answer = self._answer()
        if not answer.startswith("ok"):
            raise OSError(f"modeldev: {line!r}: {answer!r}")

    def _answer(self) -> str:
        assert self.server.stdout
        return self.server.stdout.readline().strip()

    def down(self) -> list[str]:
        errors = super().down()
        for pipe in (self.server.stdin, self.server.stdout) if hasattr(self, "server") else ():
            if pipe:
                pipe.close()
        return errors


def percentile_ns(ops: Sequence[Op], percent: float) -> float:
    """Of the waits, arrival to reply; interpolated."""
    waits = sorted(op.wait_ns for op in ops)
    place = percent / 100 * (len(waits) - 1)
    low = int(place)
    high = min(low + 1, len(waits) - 1)
    return waits[low] + (waits[high] - waits[low]) * (place - low)


def build() -> Path:
    """Compiles modeldev into the build folder when it is older than its source."""
    program = places.RIGS / "modeldev"
    if not program.exists() or program.stat().st_mtime < SOURCE.stat().st_mtime:
        places.RIGS.mkdir(parents=True, exist_ok=True)
        fresh = program.with_name(f"modeldev.{os.getpid()}")
        libraries = tool("pkg-config", "--cflags", "--libs", "fuse3").split()
        tool("gcc", *FLAGS, SOURCE, "-o", fresh, *libraries, "-lpthread")
        fresh.replace(program)
    return program
