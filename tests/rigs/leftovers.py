"""Looks at the machine itself, not at the ledger alone, for what this session left behind."""

import os
import signal
from pathlib import Path

from . import ledger, loopctl, places
from .held import marked_processes, mount_points, signal_process, wait_until
from .loop import LABEL
from .throttle import BLKIO


def find() -> list[str]:
    """One line for each thing of ours that is still there. A process gets a second to end."""
    wait_until(lambda: not processes(), 1)
    left = [f"{thing.kind} {thing.name}" for thing in ledger.held() if thing.exists()]
    left += [f"mount {m}" for m in mount_points() if m.startswith(f"{places.SESSION_DIR}/")]
    left += [f"loop {dev}" for dev in loops()]
    left += [f"cgroup {group}" for group in BLKIO.glob(f"assay-rig-{places.SESSION}-*")]
    left += [f"process {pid} {command(pid)}" for pid in processes()]
    left += [f"folder {path}" for path in places.SESSION_DIR.glob("*-*")]
    return sorted(set(left))


def remove() -> None:
    """Ends the processes of this session by their ids, then takes down what the ledger holds."""
    for pid in processes():
        signal_process(pid, signal.SIGKILL)
    with ledger.shielded():
        ledger.remove_all()


def loops() -> list[str]:
    ours = f"{LABEL}-{places.SESSION}-"
    return [dev for dev in loopctl.attached() if loopctl.label_of(dev).startswith(ours)]


def processes() -> list[int]:
    return [pid for pid in marked_processes(places.SESSION) if pid != os.getpid()]


def command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return words.replace(b"\0", b" ").decode(errors="replace").strip()
