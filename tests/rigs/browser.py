"""A real Chromium, driven by playwright-core from npm at the version of web/package-lock.json."""

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from . import places

REPO = Path(__file__).resolve().parents[2]
PLACE = places.BUILD / "browser"
SCREENSHOTS = places.BUILD / "screenshots"


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


def look(pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is seen on each page: tests/browser/look.mjs says what can be asked for."""
    script = PLACE / f"look-{os.getpid()}.mjs"  # beside the modules that it loads
    shutil.copy(REPO / "tests" / "browser" / "look.mjs", script)
    SCREENSHOTS.mkdir(exist_ok=True)
    work = {"chromium": chromium(), "pages": pages}
    done = subprocess.run(["node", script.name], input=json.dumps(work), cwd=PLACE, timeout=300,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
