#!/usr/bin/python3
"""The script and the style of interactive pages as C, with the script's digest for the policy of
the page.

    tools/page_script.py [--npm NPM] [--scratch FOLDER] [--no-vendor] WEB OUTPUT

uPlot (MIT) comes from WEB/vendor, as release archives carry it, or by npm from WEB's lock file into
FOLDER. Where neither serves, the page stays static: what is written says so, and the build goes on.
"""

import argparse
import base64
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

FILES = ("uPlot.iife.min.js", "uPlot.min.css", "LICENSE")
SCRIPTS = ("raster.js", "report.js")


def by_npm(npm: str, web: Path, scratch: Path) -> Path | None:
    """The folder with uPlot's files, fetched anew unless the lock file's are there already."""
    place = scratch / "uplot"
    stamp = place / "lock"
    lock = (web / "package-lock.json").read_bytes()
    if stamp.exists() and stamp.read_bytes() == lock:
        return place
    work = scratch / "npm"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(web / name, work / name)
    argv = [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund",
            "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=20000"]  # fmt: skip
    try:
        done = subprocess.run(argv, cwd=work, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"npm: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(done.stderr.strip()[-500:], file=sys.stderr)
        return None
    package = work / "node_modules" / "uplot"
    place.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(package / ("dist" if name != "LICENSE" else "") / name, place / name)
    stamp.write_bytes(lock)
    shutil.rmtree(work)
    return place


def as_c(name: str, text: str) -> str:
    """An array of bytes: literals have no limit of length that way, and no digraphs."""
    rows = []
    data = text.encode() + b"\0"
    for at in range(0, len(data), 24):
        rows.append("\t" + ",".join(str(byte) for byte in data[at : at + 24]) + ",")
    return f"static const unsigned char {name}[] = {{\n" + "\n".join(rows) + "\n};\n"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--npm")
    parser.add_argument("--scratch", type=Path, default=Path("page-script"))
    parser.add_argument("--no-vendor", action="store_true", help="as if WEB/vendor were not there")
    parser.add_argument("web", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    place: Path | None = options.web / "vendor"
    if options.no_vendor or not all((options.web / "vendor" / name).exists() for name in FILES):
        place = by_npm(options.npm, options.web, options.scratch) if options.npm else None
    if place is None:
        if not options.no_vendor:
            print("reports will be static: uPlot is not here (npm, or web/vendor)", file=sys.stderr)
        script = style = ""
    else:
        notice = (place / "LICENSE").read_text().strip()
        library = (place / "uPlot.iife.min.js").read_text().strip()
        ours = "".join((options.web / name).read_text() for name in SCRIPTS)
        script = f"/* uPlot:\n{notice}\n*/\n{library}\n{ours}"
        style = (place / "uPlot.min.css").read_text() + (options.web / "report.css").read_text()
    if "</script" in script.lower() or "</style" in style.lower():
        print("the script would end its own element", file=sys.stderr)
        return 1
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = "/* Made by tools/page_script.py. */\n#ifndef PAGE_SCRIPT_INC\n#define PAGE_SCRIPT_INC\n"
    text += as_c("page_script", script) + as_c("page_script_style", style)
    text += f'static const char page_script_digest[] = "sha256-{digest}";\n#endif\n'
    options.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
