"""The kinds of things a rig can hold in the operating system: how each is recognised and taken
down.

A thing is named so that nobody else's can be mistaken for it: a loop device by the label that we
gave it, a zram device by its number and sysfs inode, a process by its id and start time. Taking
down what is gone already is no error.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import loopctl, places


@dataclass(frozen=True)
class Thing:
    """kind is a key of KINDS; proof tells this thing from a later one of the same name."""

    kind: str
    name: str
    proof: str = ""

    def exists(self) -> bool:
        return KINDS[self.kind].exists(self)

    def remove(self) -> None:
        if self.exists():
            KINDS[self.kind].remove(self)
        if not wait_until(lambda: not self.exists(), 5):
            raise OSError(f"{self.kind} {self.name} could not be taken down")


def wait_until(is_done: Callable[[], bool], limit_s: float) -> bool:
    """Polls every 5 ms; the value is the last answer."""
    end = time.monotonic() + limit_s
    while not is_done():
        if time.monotonic() > end:
            return is_done()
        time.sleep(0.005)
    return True


def tool(*argv: str | Path) -> str:
    """Runs a short-lived tool; its output, or an OSError with what it said."""
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise OSError(f"{' '.join(map(str, argv))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


# Folders


def dir_exists(thing: Thing) -> bool:
    return os.path.lexists(thing.name)


def dir_remove(thing: Thing) -> None:
    below = [m for m in mount_points() if m.startswith(thing.name + "/")]
    if below:
        raise OSError(f"{thing.name}: still mounted below: {below}")
    shutil.rmtree(thing.name)


# Mounts


def mount_points() -> list[str]:
    with open("/proc/self/mounts", encoding="utf-8") as table:
        return [line.split()[1].encode().decode("unicode_escape") for line in table]


def mount_exists(thing: Thing) -> bool:
    return thing.name in mount_points()


def mount_remove(thing: Thing) -> None:
    def unmounted() -> bool:
        how = ["fusermount3", "-u"] if os.geteuid() else ["umount"]
        subprocess.run([*how, thing.name], capture_output=True, check=False)
        return not mount_exists(thing)

    if not wait_until(unmounted, 2):
        subprocess.run(["umount", "-l", thing.name], capture_output=True, check=False)


# Loop devices, named by the node; the proof is the label on it


def loop_exists(thing: Thing) -> bool:
    return loopctl.label_of(thing.name) == thing.proof


def loop_remove(thing: Thing) -> None:
    loopctl.detach(thing.name)


# zram devices, named by the number


def zram_inode(number: str) -> str:
    """Each device gets a fresh sysfs inode: a number used again is told apart by it."""
    try:
        return str(os.stat(f"/sys/block/zram{number}").st_ino)
    except FileNotFoundError:
        return ""


def zram_exists(thing: Thing) -> bool:
    return zram_inode(thing.name) == thing.proof


def zram_remove(thing: Thing) -> None:
    def removed() -> bool:
        try:
            Path(f"/sys/block/zram{thing.name}/reset").write_text("1", encoding="ascii")
            Path("/sys/class/zram-control/hot_remove").write_text(thing.name, encoding="ascii")
        except OSError:  # busy as long as someone has it open
            pass
        return not zram_exists(thing)

    wait_until(removed, 5)


# Control groups


def cgroup_exists(thing: Thing) -> bool:
    return os.path.isdir(thing.name)


def cgroup_remove(thing: Thing) -> None:
    def removed() -> bool:
        for pid in Path(thing.name, "cgroup.procs").read_text(encoding="ascii").split():
            signal_process(int(pid), signal.SIGKILL)
        try:
            os.rmdir(thing.name)
        except OSError:
            pass
        return not cgroup_exists(thing)

    wait_until(removed, 5)


# Processes, named by the id


def process_start(pid: str) -> str:
    """The start time in clock ticks since boot; empty for none, and for one that only waits to be
    reaped.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def process_exists(thing: Thing) -> bool:
    return process_start(thing.name) == thing.proof


def process_remove(thing: Thing) -> None:
    signal_process(int(thing.name), signal.SIGTERM)
    if not wait_until(lambda: not process_exists(thing), 3):
        signal_process(int(thing.name), signal.SIGKILL)


def signal_process(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def marked_processes(session: str) -> list[int]:
    """All that carry a session's mark, whoever started them."""
    mark = f"{places.MARK}={session}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


@dataclass(frozen=True)
class Kind:
    exists: Callable[[Thing], bool]
    remove: Callable[[Thing], None]


KINDS = {
    "dir": Kind(dir_exists, dir_remove),
    "mount": Kind(mount_exists, mount_remove),
    "loop": Kind(loop_exists, loop_remove),
    "zram": Kind(zram_exists, zram_remove),
    "cgroup": Kind(cgroup_exists, cgroup_remove),
    "process": Kind(process_exists, process_remove),
}
