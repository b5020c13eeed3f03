"""Runs a program under test, and says all that it said."""

import contextlib
import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from . import places

ASSAY = places.BUILD / "assay"
FIO_FACE = places.BUILD / "fio"
KEPT = str(places.BUILD / "kept")  # where runs are stored, so that nobody's own store grows

Wrapper = Callable[[Sequence[str | Path]], list[str]]


@dataclass(frozen=True)
class Result:
    """rc is negative for a signal. cpu_s is what the program and its children used, as the kernel
    counted it.
    """

    argv: list[str]
    rc: int
    out: str
    err: str
    cpu_s: float

    def json(self) -> Any:
        """stdout, all of it: one stray word is an error."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"stdout is not JSON ({error}): {self}") from None

    def check(self, rc: int = 0) -> Self:
        assert self.rc == rc, f"exit {self.rc}, not {rc}: {self}"
        return self

    def __str__(self) -> str:
        return f"{' '.join(self.argv)}\nexit {self.rc}\n{self.out[-4000:]}\n{self.err[-4000:]}"


class Running:
    """A program that runs at this moment: for tests that signal it or look at it. Left by `with`,
    it is dead.
    """

    def __init__(
        self,
        args: Sequence[str | Path],
        *,
        program: str | Path = ASSAY,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        stdin: str | None = None,
        under: Sequence[Wrapper] = (),
        pass_fds: Sequence[int] = (),
        output: Mapping[str, int] | None = None,
    ):
        """env is added to ours, in the C locale; under wraps the command: the first named is the
        innermost.
        """
        argv = [str(program), *map(str, args)]
        for wrapper in under:
            argv = wrapper(argv)
        self.argv = argv
        self.input = stdin
        self.child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **(output or {})},
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", "XDG_DATA_HOME": KEPT, **(env or {})},
            cwd=cwd,
            pass_fds=pass_fds,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        return self.child.pid

    def signal(self, number: int) -> None:
        """To the program alone, as kill(1) does."""
        self.child.send_signal(number)

    def finish(self, timeout: float = 60) -> Result:
        """Waits for the end. Beyond the timeout all that it started is killed, and the test
        fails. Sanitizers stretch it (tools/run-tests).
        """
        timeout *= float(os.environ.get("ASSAY_TEST_PATIENCE") or 1)
        before = _children_cpu_s()
        try:
            out, err = self.child.communicate(self.input, timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {timeout} s: {self._rest()}") from None
        except BaseException:
            self.kill()
            raise
        used_s = _children_cpu_s() - before
        return Result(self.argv, self.child.returncode, out or "", err or "", used_s)

    def _rest(self) -> Result:
        """What it said until it was killed, even if it would not die."""
        try:
            out, err = self.child.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            out, err = "", "(cannot be killed: it waits for a device)"
        return Result(self.argv, self.child.returncode or 0, out or "", err or "", 0)

    def kill(self) -> None:
        """The program and what it started: its own session, so nobody else's processes. One that
        waits for a device that hangs cannot die before it; the device's rig frees it.
        """
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(5)


def run(args: Sequence[str | Path], *, timeout: float = 60, **how: Any) -> Result:
    """run(["quick", "--time=1", file]); how: the keywords of Running, such as program=FIO_FACE,
    under=[fifo].
    """
    with Running(args, **how) as running:
        return running.finish(timeout)


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
