"""A file served by nbdkit through nbdfuse: delays, errors and pauses switched on and off during a
run.
"""

import os
import socket

from .rig import Rig


class NbdFile(Rig):
    """Good for errors and pauses that a test switches (inject, heal, pause, resume),
    independently of our own model device. Not for latency under depth (rough), nor for rates.
    Delays are in milliseconds and hold for each request.
    """

    programs = ("nbdkit", "nbdfuse", "setpriv", "umount")

    def __init__(
        self,
        size: int = 64 << 20,
        *,
        delay_read_ms: int = 0,
        delay_write_ms: int = 0,
        error: str = "EIO",
    ):
        self.size = size
        self.delays = {"delay-read": delay_read_ms, "delay-write": delay_write_ms}
        self.error = error

    @classmethod
    def lacks(cls) -> str | None:
        return None if os.path.exists("/dev/fuse") else "no FUSE"

    def up(self) -> None:
        room = self.folder("nbd")
        self.trigger = room / "fail"
        self.pause_socket = room / "pause.sock"
        sock = room / "nbd.sock"
        argv = ["nbdkit", "--foreground", "--unix", str(sock)]
        argv += ["--filter=pause", "--filter=error"]
        delays = [f"{key}={ms}ms" for key, ms in self.delays.items() if ms]
        argv += ["--filter=delay"] if delays else []
        argv += ["memory", str(self.size), f"pause-control={self.pause_socket}"]
        argv += [f"error={self.error}", "error-rate=100%", f"error-file={self.trigger}", *delays]
        self.wait_ready(self.start(argv), sock.exists)

        mount = room / "mnt"
        mount.mkdir()
        self.file = mount / "nbd"
        self.hold("mount", mount)
        client = self.start(["nbdfuse", self.file, "--unix", sock])
        self.wait_ready(client, self.file.exists)

    def inject(self) -> None:
        """From now on every request fails with the errno given."""
        self.trigger.touch()

    def heal(self) -> None:
        self.trigger.unlink()

    def pause(self) -> None:
        """Requests stop being answered; returns when those under way are done."""
        self._pause_command(b"p", b"P")

    def resume(self) -> None:
        self._pause_command(b"r", b"R")

    def _pause_command(self, command: bytes, answer: bytes) -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(str(self.pause_socket))
            line.sendall(command)
            if line.recv(1) != answer:
                raise OSError("nbdkit: the pause filter did not answer")
