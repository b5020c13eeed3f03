"""The list, kept on disk, of what this process holds: the reason that nothing is left behind.

A thing is written down before it is made wherever its name is known by then. The list is worked
off in reverse by the rigs themselves, at exit, and, after SIGKILL, by `sweep` of the next
session.
"""

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from . import places
from .held import Thing, marked_processes, mount_points, process_start, signal_process

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_held: list[Thing] = []
_is_open = False


def add(thing: Thing) -> None:
    _open()
    _held.append(thing)
    _save()


def drop(thing: Thing) -> None:
    _held.remove(thing)
    _save()


def held() -> list[Thing]:
    return list(_held)


def remove_all() -> list[str]:
    """Takes down all that is left, last first; says what could not be."""
    failed = []
    for thing in reversed(held()):
        try:
            thing.remove()
        except (OSError, subprocess.TimeoutExpired) as error:
            failed.append(str(error))
        drop(thing)
    return failed


def sweep() -> list[str]:
    """Takes down what sessions that were killed left behind in this build folder; says what it
    found.
    """
    found = []
    for folder in sorted(places.RIGS.glob("*-*")):
        page = folder / "ledger.json"
        try:
            state = json.loads(page.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if process_start(str(state["pid"])) == state["start"] and state["boot"] == _boot():
            continue
        if state["boot"] == _boot():
            for pid in marked_processes(folder.name):
                found.append(f"process {pid}")
                signal_process(pid, signal.SIGKILL)
            for entry in reversed(state["held"]):
                thing = Thing(**entry)
                if thing.exists():
                    found.append(f"{thing.kind} {thing.name}")
                    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                        thing.remove()
        if not any(m.startswith(f"{folder}/") for m in mount_points()):
            shutil.rmtree(folder, ignore_errors=True)
    return found


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """No signal interrupts a clean-up half way. Programs started inside inherit this: short ones
    only.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _open() -> None:
    global _is_open
    if _is_open:
        return
    _is_open = True
    places.SESSION_DIR.mkdir(parents=True)
    atexit.register(_close, os.getpid())
    # SIGTERM and SIGHUP unwind like Ctrl-C, so that every `with` cleans up. pytest takes SystemExit
    # for a failed test and goes on; KeyboardInterrupt ends it.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)


def _close(owner: int) -> None:
    if os.getpid() != owner:  # a forked child holds nothing
        return
    with shielded():
        for pid in marked_processes(places.SESSION):
            if pid != owner:
                signal_process(pid, signal.SIGKILL)
        remove_all()
        shutil.rmtree(places.SESSION_DIR, ignore_errors=True)
        with contextlib.suppress(OSError):
            places.RIGS.rmdir()


def _save() -> None:
    page = places.SESSION_DIR / "ledger.json"
    pid = str(os.getpid())
    state = {
        "pid": pid,
        "start": process_start(pid),
        "boot": _boot(),
        "held": [asdict(thing) for thing in _held],
    }
    fresh = page.with_suffix(".new")
    fresh.write_text(json.dumps(state), encoding="utf-8")
    fresh.replace(page)


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
