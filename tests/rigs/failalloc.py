"""A program whose n-th allocation fails (failalloc.c)."""

import os
from pathlib import Path

from . import places
from .held import tool

SOURCE = Path(__file__).with_name("failalloc.c")


def environment(program: str, fail: str | None = None, count: Path | None = None) -> dict[str, str]:
    """`fail`: "7" is the seventh, "7+" all from there on; `count`: the file for their number."""
    env = {"LD_PRELOAD": str(build()), "FAIL_PROGRAM": program}
    if fail:
        env["FAIL_ALLOC"] = fail
    if count:
        env["FAIL_COUNT"] = str(count)
    return env


def build() -> Path:
    """Compiled into the build folder when it is older than its source."""
    library = places.RIGS / "failalloc.so"
    if not library.exists() or library.stat().st_mtime < SOURCE.stat().st_mtime:
        places.RIGS.mkdir(parents=True, exist_ok=True)
        fresh = library.with_name(f"failalloc.{os.getpid()}.so")
        tool("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", SOURCE, "-o", fresh)
        fresh.replace(library)
    return library
