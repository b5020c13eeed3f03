"""Runs a program on a terminal of its own: for live lines, colours, and what is only said to a
person.
"""

import contextlib
import fcntl
import os
import pty
import struct
import termios
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .assay import Result, Running


def run_on_terminal(
    args: Sequence[str | Path],
    *,
    timeout: float = 60,
    columns: int = 80,
    stderr_only: bool = False,
    **how: Any,
) -> Result:
    """As assay.run, with stdout and stderr on one terminal: Result.out is the raw text with its
    escapes. With stderr_only stdout stays a pipe in Result.out, and Result.err is the terminal.
    """
    ours, theirs = pty.openpty()
    text: list[str] = []
    # Read beside the pipes, so that neither can fill up and stop the program.
    reader = threading.Thread(target=lambda: text.append(_read_all(ours)))
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        output = {"stderr": theirs} if stderr_only else {"stdout": theirs, "stderr": theirs}
        with Running(args, output=output, **how) as running:
            reader.start()
            result = running.finish(timeout)
    finally:
        os.close(theirs)  # the last one that has it open: the reader ends
        if reader.ident:
            reader.join()
        os.close(ours)
    out, err = (result.out, text[0]) if stderr_only else (text[0], "")
    return Result(result.argv, result.rc, out, err, result.cpu_s)


def _read_all(terminal: int) -> str:
    data = b""
    with contextlib.suppress(OSError):  # EIO: nobody has the other end open any more
        while piece := os.read(terminal, 65536):
            data += piece
    return data.decode(errors="replace")
