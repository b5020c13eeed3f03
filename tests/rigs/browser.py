"""A real Chromium, driven by playwright-core from npm at the version of web/package-lock.json."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import places

if TYPE_CHECKING:
    import pytest

REPO = Path(__file__).resolve().parents[2]
PLACE = places.BUILD / "browser"
SCREENSHOTS = places.BUILD / "screenshots"
PAGES_A_BROWSER = 6  # 5 s on two idle cores
DEADLINE_S = 100 * float(os.environ.get("ASSAY_TEST_PATIENCE", "1"))


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def why_not() -> str | None:
    """Why pages cannot be looked at here; the driver is fetched when first needed."""
    if not chromium():
        return "no chromium (package chromium)"
    if not shutil.which("node") or not shutil.which("npm"):
        return "no node or npm (packages nodejs, npm)"
    return _fetch()


def _fetch() -> str | None:
    """Once: tests run side by side."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / "fetching", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        return _fetch_alone()


def _fetch_alone() -> str | None:
    lock = (REPO / "web" / "package-lock.json").read_bytes()
    stamp = PLACE / "lock"
    if stamp.exists() and stamp.read_bytes() == lock:
        return None
    for name in ("package.json", "package-lock.json"):
        shutil.copy(REPO / "web" / name, PLACE / name)
    argv = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
            "--fetch-retries=1"]  # fmt: skip
    done = subprocess.run(argv, cwd=PLACE, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"npm cannot fetch playwright-core: {done.stderr.strip()[-200:]}"
    stamp.write_bytes(lock)
    return None


def once(factory: "pytest.TempPathFactory", name: str, make: Callable[[Path], None]) -> Path:
    """A folder that make() has filled, once for all that run side by side in this session: who comes
    meanwhile waits. Where it fails, the next one tries again.
    """
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with open(folder / ".making", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not (folder / ".made").exists():
            make(folder)
            (folder / ".made").touch()
    return folder


def look(pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is seen on each page: tests/browser/look.mjs says what can be asked for. A browser looks
    at a few of them, and one that fails or hangs is followed by a fresh one, once.
    """
    SCREENSHOTS.mkdir(exist_ok=True)
    seen: list[dict[str, Any]] = []
    for first in range(0, len(pages), PAGES_A_BROWSER):
        few = pages[first : first + PAGES_A_BROWSER]
        answer, said = _look(few, DEADLINE_S)
        if answer is None:
            print(f"a browser is followed by another one: {said}")
            answer, said = _look(few, DEADLINE_S)
        assert answer is not None, said
        seen += answer
    return seen


def _look(pages: list[dict[str, Any]], deadline_s: float) -> tuple[list[dict[str, Any]] | None, str]:
    """What is seen, or None and what the browser said."""
    with tempfile.TemporaryDirectory(dir=PLACE, prefix="look-") as folder:
        script = Path(folder) / "look.mjs"  # below the modules that it loads
        shutil.copy(REPO / "tests" / "browser" / "look.mjs", script)
        (Path(folder) / "work").write_text(json.dumps({"chromium": chromium(), "pages": pages}))
        with (open(Path(folder) / "work") as work, open(Path(folder) / "seen", "w+") as seen,
              open(Path(folder) / "said", "w+", errors="replace") as said):  # fmt: skip
            child = subprocess.Popen(["node", script], stdin=work, stdout=seen, stderr=said, cwd=PLACE,
                                     env={**os.environ, "DEBUG": "pw:browser"})  # fmt: skip
            try:
                end = f"exit {child.wait(deadline_s)}"
            except subprocess.TimeoutExpired:
                end = f"not done after {deadline_s:g} s"
                for pid in [*_children(child.pid), child.pid]:  # a browser has a session of its own
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                child.wait()
            answer, words = (Path(folder, name).read_text(errors="replace") for name in ("seen", "said"))
    if child.returncode == 0:
        return json.loads(answer), ""
    return None, f"node look.mjs: {end}, of {[page['path'] for page in pages]}\n{words[-6000:]}"


def _children(pid: int) -> list[int]:
    """All below a process, those that were started last first."""
    found: list[int] = []
    for names in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, names.read_text().split()):
                found += [*_children(child), child]
    return found
