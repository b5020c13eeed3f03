"""Where things are: the repository, the build folder, and this session's own folder below it."""

import os
import secrets
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD") or REPO / "build").resolve()
RIGS = BUILD / "rigs"

SESSION = f"{os.getpid()}-{secrets.token_hex(3)}"
SESSION_DIR = RIGS / SESSION

# Every process that this one starts carries the mark: a forgotten one is found and known as ours.
MARK = "ASSAY_RIG_SESSION"
os.environ[MARK] = SESSION

# losetup, mkfs and the like are not in an ordinary user's PATH on Debian.
for sbin in ("/usr/sbin", "/sbin"):
    if sbin not in os.environ.get("PATH", "").split(":"):
        os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":" + sbin
