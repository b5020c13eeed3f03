"""Consent: typed where a person can type it, refused at once where nobody can."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import run
from rigs.loop import Loop

CONTENT = b"somebody's only copy of a long novel" * 1000


def job(path: Path | str, *more: str) -> list[str]:
    return ["run", "--name=j", f"--filename={path}", "--bs=4k", "--size=32k", "--rw=write",
            "--ioengine=psync", *more]  # fmt: skip


def at_a_terminal(program: Path, args: list[str], types: str, number: int = 0) -> tuple[int, str]:
    """Exit status, and what the terminal showed. A signal comes once the question stands."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [program, *args], stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL
        ) as child:
            shown = _read_until(ours, "Type ")
            if number:
                child.send_signal(number)
            elif types:
                os.write(ours, types.encode())
            try:
                rc = child.wait(10)
            finally:
                child.kill()
    finally:
        os.close(theirs)
        with contextlib.suppress(OSError):
            if select.select([ours], [], [], 0)[0]:
                shown += os.read(ours, 65536).decode(errors="replace")
        os.close(ours)
    return rc, shown


def _read_until(terminal: int, word: str) -> str:
    text, until = "", time.monotonic() + 10
    while word not in text and (left := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


def test_the_token_typed_lets_the_run_write(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", content=CONTENT)
    rc, shown = at_a_terminal(assay, job(path), f"{path}\n")
    assert rc == 0, shown
    assert "carries" in shown and str(path) in shown
    assert path.read_bytes() != CONTENT


@pytest.mark.parametrize("types", ["yes\n", "\n", "\x04", "y\n"])
def test_anything_else_is_a_refusal(scratch: Any, assay: Path, types: str) -> None:
    path = scratch.file("f", content=CONTENT)
    rc, shown = at_a_terminal(assay, job(path), types)
    assert rc == 5, shown
    assert path.read_bytes() == CONTENT


def test_a_signal_ends_the_question(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", content=CONTENT)
    rc, shown = at_a_terminal(assay, job(path), "", signal.SIGINT)
    assert rc == 128 + signal.SIGINT, shown
    assert path.read_bytes() == CONTENT


def test_nobody_is_asked_where_input_cannot_come(scratch: Any, assay: Path) -> None:
    path = scratch.file("f", content=CONTENT)
    result = run(job(path), timeout=10).check(5)
    assert f"--destroy={path}" in result.err
    result = run(job(path), stdin=f"{path}\n", timeout=10).check(5)
    assert path.read_bytes() == CONTENT
    run(job(path, f"--destroy={path}")).check()
    run(job(path), env={"ASSAY_DESTROY": str(path)}).check()


def test_a_device_with_data_needs_its_token(rig: Any, assay: Path) -> None:
    loop = rig(Loop, 16 << 20)
    with open(loop.dev, "r+b") as device:
        device.write(CONTENT)
    refused = run(job(loop.dev), timeout=20).check(5)
    token = refused.err.split("--destroy=")[1].split()[0]
    rc, shown = at_a_terminal(assay, job(loop.dev), f"{token}\n")
    assert rc == 0, shown
    rc, _ = at_a_terminal(assay, job(loop.dev), f"{token}x\n")
    assert rc == 5
