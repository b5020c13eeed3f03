#!/usr/bin/python3
"""How fast `assay log bin` reads: CPU seconds beside `wc -l` and others on the same warm file.

    bench/logs.py [--size=1g] [--pairs=5] [--write]

Logs are bench/loggen.c's, the same on every machine. Each row is measured in pairs, ours and the
yardstick in turns, and shown as the median ratio with its range; CPU is user + sys of the whole
program. --write puts the table into doc/speed.md.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD") or REPO / "build").resolve()
ASSAY = BUILD / "assay"
LOGGEN = BUILD / "bench" / "loggen"
DOC = REPO / "doc" / "speed.md"
BEGIN, END = "<!-- logs: begin -->", "<!-- logs: end -->"


@dataclass(frozen=True)
class Cost:
    cpu_s: float
    wall_s: float
    peak_kib: int


def measure(argv: Sequence[str | Path]) -> Cost:
    """Runs the program to its end, its output thrown away."""
    began = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{argv[0]} ended with {child.returncode}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(cpu_s, time.monotonic() - began, usage.ru_maxrss)


def ours(*words: str | Path) -> list[str | Path]:
    return [ASSAY, "log", "bin", "--quiet", "--by=direction", "--unit=ns", *words]


@dataclass(frozen=True)
class Row:
    name: str
    left: list[str | Path]  # ours
    right: list[str | Path]  # the yardstick
    bound: str
    wall: bool = False


def rows(folder: Path) -> list[Row]:
    log = {c: folder / f"n{c}_clat.1.log" for c in (4, 5, 6, 7)}
    small = folder / "s4_clat.1.log"
    awk = (
        "{t = int($1 / 1000); k = t \" \" $3; n[k]++; s[k] += $2; if ($2 > m[k]) m[k] = $2} "
        "END {for (k in n) print k, n[k], s[k] / n[k], m[k]}"
    )
    wc = [
        Row(f"{c} columns, to wc -l", ours(log[c]), ["wc", "-l", log[c]], "<= 3.0")
        for c in (4, 5, 6, 7)
    ]
    return [
        *wc,
        Row("two threads, one (wall)", ours("--threads=2", log[4]), ours(log[4]), "<= 1/1.7", True),
        Row("gzip, to gzip -dc", ours(folder / "s4.gz", "--kind=clat"),
            ["gzip", "-dc", folder / "s4.gz"], "<= 1.3"),
        Row("zstd, to zstd -dc", ours(folder / "s4.zst", "--kind=clat"),
            ["zstd", "-qdc", folder / "s4.zst"], "<= 1.3"),
        Row("blocks, to 4 columns", ours(folder / "n4.alog"), ours(log[4]), "<= 1/2"),
        Row("4 columns, to mawk", ours(small), ["mawk", "-F, ", awk, small], "<= 1/30"),
        Row("4 columns, to gawk", ours(small), ["gawk", "-F, ", awk, small], "<= 1/50"),
    ]  # fmt: skip


def make_logs(folder: Path, size: str) -> None:
    for name, columns, bytes_ in [("n4", 4, size), ("n5", 5, size), ("n6", 6, size),
                                  ("n7", 7, size), ("s4", 4, "64m")]:  # fmt: skip
        path = folder / f"{name}_clat.1.log"
        if not path.exists():
            with path.open("wb") as out:
                subprocess.run([LOGGEN, str(columns), bytes_], stdout=out, check=True)
    small = folder / "s4_clat.1.log"
    with (folder / "s4.gz").open("wb") as out:
        subprocess.run(["gzip", "-1c", small], stdout=out, check=True)
    subprocess.run(["zstd", "-qf", "-3", small, "-o", folder / "s4.zst"], check=True)
    (folder / "n4.alog").unlink(missing_ok=True)
    convert = [ASSAY, "log", "convert", "--quiet", "--unit=ns"]
    source = folder / "n4_clat.1.log"
    subprocess.run([*convert, source, "-o", folder / "n4.alog"], check=True)


def compare(row: Row, pairs: int) -> str:
    if subprocess.run(["which", str(row.right[0])], capture_output=True, check=False).returncode:
        return f"| {row.name} | {row.right[0]} is not here | {row.bound} | |"
    measure(row.left), measure(row.right)  # into the page cache
    ratios, peak = [], 0
    for turn in range(pairs):
        order = (row.left, row.right) if turn % 2 else (row.right, row.left)
        costs = {id(argv): measure(argv) for argv in order}
        left, right = costs[id(row.left)], costs[id(row.right)]
        ratios.append(left.wall_s / right.wall_s if row.wall else left.cpu_s / right.cpu_s)
        peak = max(peak, left.peak_kib)
    middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
    figures = f"{middle:.3g} ({low:.3g}–{high:.3g})"
    return f"| {row.name} | {figures} | {row.bound} | {peak / 1024:.0f} MiB |"


def write_doc(lines: list[str]) -> None:
    text = DOC.read_text() if DOC.exists() else "# Speed\n"
    if BEGIN not in text:
        text += f"\n## Logs\n\n{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    DOC.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="1g")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=BUILD / "bench" / "logs")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    make_logs(args.folder, args.size)
    load = os.getloadavg()[0]
    lines = [
        f"CPU time of ours divided by the other's; median (range) of {args.pairs} pairs; logs of",
        f"{args.size}, packed ones of 64m; load average {load:.1f} at the start.",
        "",
        "| | ratio | to reach | peak memory |",
        "|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for row in rows(args.folder):
        lines.append(compare(row, args.pairs))
        print(lines[-1], flush=True)
    if args.write:
        write_doc(lines)


if __name__ == "__main__":
    main()
