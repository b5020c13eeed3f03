"""The base of all rigs: a context manager that knows why it cannot be set up here, and holds
things by name.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from . import ledger, places
from .held import Thing, process_start, wait_until

R = TypeVar("R", bound="Rig")


class Rig:
    """A rig fills in `needs_root`, `programs`, `lacks` and `up`; what it holds is released in
    reverse by `down`.
    """

    needs_root = True
    programs: Sequence[str] = ()

    @classmethod
    def why_not(cls) -> str | None:
        """The reason in a few words why this machine cannot have the rig; None if it can."""
        if cls.needs_root and os.geteuid() != 0:
            return "needs root"
        for program in cls.programs:
            if not shutil.which(program):
                return f"no {program}"
        return cls.lacks()

    @classmethod
    def lacks(cls) -> str | None:
        return None

    def up(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._held: list[tuple[Thing | Rig, subprocess.Popen | None]] = []
        try:
            self.up()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        errors = self.down()
        if errors and value is None:
            raise OSError("; ".join(errors))

    def down(self) -> list[str]:
        """Releases all; says what could not be. Safe to call twice."""
        errors = []
        with ledger.shielded():
            while self._held:
                what, child = self._held.pop()
                if isinstance(what, Rig):
                    errors += what.down()
                    continue
                try:
                    what.remove()
                    if child:
                        child.wait(timeout=10)
                    ledger.drop(what)
                except (OSError, subprocess.TimeoutExpired) as error:
                    errors.append(str(error))  # it stays in the ledger: tried again at exit
        return errors

    def hold(self, kind: str, name: str | Path, proof: str = "") -> Thing:
        """Writes the thing down; call it before making the thing if the name is known by then."""
        thing = Thing(kind, str(name), proof)
        self._held.append((thing, None))
        ledger.add(thing)
        return thing

    def release(self, thing: Thing) -> None:
        """Takes the last thing held off the list again: it was not made after all."""
        assert self._held.pop()[0] == thing
        ledger.drop(thing)

    def use(self, other: R) -> R:
        """Sets up another rig below this one; it goes down with this one."""
        other.__enter__()
        self._held.append((other, None))
        return other

    def start(self, argv: Sequence[str | Path], **popen: Any) -> subprocess.Popen:
        """Starts a server of this rig's. It gets SIGTERM when the rig goes down, and if the thread
        that called this ends.
        """
        command = ["setpriv", "--pdeathsig", "TERM", "--", *map(str, argv)]
        child = subprocess.Popen(command, start_new_session=True, **popen)
        thing = Thing("process", str(child.pid), process_start(str(child.pid)))
        ledger.add(thing)
        self._held.append((thing, child))
        return child

    @staticmethod
    def wait_ready(child: subprocess.Popen, is_ready: Callable[[], bool]) -> None:
        """Until a server serves; an OSError as soon as it has ended instead, or after 20 s."""
        wait_until(lambda: child.poll() is not None or is_ready(), 20)
        if child.poll() is not None or not is_ready():
            raise OSError(f"did not start: {' '.join(child.args[4:])}")  # type: ignore[index]

    def folder(self, name: str) -> Path:
        """A new folder of this rig's, below the build folder."""
        path = places.SESSION_DIR / f"{_next_number():03d}-{name}"
        self.hold("dir", path)
        path.mkdir(parents=True)
        return path


_count = 0


def _next_number() -> int:
    global _count
    _count += 1
    return _count
