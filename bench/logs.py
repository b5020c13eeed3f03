#!/usr/bin/python3
"""How fast `assay log bin` reads: CPU seconds beside `wc -l` and others on the same warm file.

    bench/logs.py [--size=1g] [--pairs=5] [--prefer] [--write]

Logs are bench/loggen.c's, the same on every machine. Each row is measured in pairs, ours and the
yardstick in turns, and shown as the median ratio with its range; CPU is user + sys of the whole
program. --prefer, for a busy machine, keeps others off by a CPU cgroup; --write puts the table into
doc/speed.md.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from compare import Preferred

REPO = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD") or REPO / "build").resolve()
ASSAY = BUILD / "assay"
LOGGEN = BUILD / "bench" / "loggen"
DOC = REPO / "doc" / "speed.md"
BEGIN, END = "<!-- logs: begin -->", "<!-- logs: end -->"


PANDAS = """
import sys
import pandas
rows = pandas.read_csv(sys.argv[1], header=None, skipinitialspace=True, usecols=[0, 1, 2],
                       names=["ms", "ns", "op"], dtype="int64")
groups = rows.groupby([rows["ms"] // 1000, "op"])["ns"]
print(groups.agg(["count", "mean", "min", "max"]))
"""


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
    # What a processor without AVX2 runs.
    plain = [
        Row(f"{c} columns without AVX2, to wc -l", ours("--loops=sse2", log[c]),
            ["wc", "-l", log[c]], "<= 5")
        for c in (4, 5)
    ]  # fmt: skip
    jobs = [folder / f"j4_clat.{n}.log" for n in range(1, 33)]
    return [
        *wc,
        *plain,
        Row("two threads, one (wall)", ours("--threads=2", log[4]), ours(log[4]), "<= 1/1.7", True),
        Row("gzip, to gzip -dc", ours(folder / "s4.gz", "--kind=clat"),
            ["gzip", "-dc", folder / "s4.gz"], "<= 1.3"),
        Row("zstd, to zstd -dc", ours(folder / "s4.zst", "--kind=clat"),
            ["zstd", "-qdc", folder / "s4.zst"], "<= 1.3"),
        Row("blocks, to 4 columns", ours(folder / "n4.alog"), ours(log[4]), "<= 1/2"),
        Row("4 columns, to mawk", ours(small), ["mawk", "-F, ", awk, small], "<= 1/30"),
        Row("4 columns, to gawk", ours(small), ["gawk", "-F, ", awk, small], "<= 1/50"),
        Row("4 columns, to pandas", ours(small), [sys.executable, "-c", PANDAS, small], "<= 1/25"),
        Row("32 job logs at once, to wc -l", ours(*jobs), ["wc", "-l", *jobs], "<= 64 MiB"),
        Row("24 h of seconds, to wc -l", ours(folder / "d4_clat.1.log"),
            ["wc", "-l", folder / "d4_clat.1.log"], "<= 64 MiB"),
    ]  # fmt: skip


def make_logs(folder: Path, size: str) -> None:
    for name, columns, *rest in [("n4", 4, size), ("n5", 5, size), ("n6", 6, size),
                                 ("n7", 7, size), ("s4", 4, "64m"), ("j4", 4, "32m"),
                                 ("d4", 4, "64m", "30")]:  # fmt: skip
        path = folder / f"{name}_clat.1.log"
        if not path.exists():
            with path.open("wb") as out:
                subprocess.run([LOGGEN, str(columns), *rest], stdout=out, check=True)
    for number in range(2, 33):  # more names of one file
        other = folder / f"j4_clat.{number}.log"
        if not other.exists():
            other.hardlink_to(folder / "j4_clat.1.log")
    small = folder / "s4_clat.1.log"
    with (folder / "s4.gz").open("wb") as out:
        subprocess.run(["gzip", "-1c", small], stdout=out, check=True)
    subprocess.run(["zstd", "-qf", "-3", small, "-o", folder / "s4.zst"], check=True)
    blocks = folder / "n4.alog"
    if not blocks.exists():
        convert = [ASSAY, "log", "convert", "--quiet", "--unit=ns"]
        subprocess.run([*convert, folder / "n4_clat.1.log", "-o", blocks], check=True)


def is_missing(argv: Sequence[str | Path]) -> str:
    """What of the yardstick this machine lacks."""
    if argv[0] == sys.executable and find_spec("pandas") is None:
        return "pandas"
    return "" if shutil.which(argv[0]) else str(argv[0])


def compare(row: Row, pairs: int) -> str:
    missing = is_missing(row.right)
    if missing:
        return f"| {row.name} | {missing} is not here | {row.bound} | |"
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


@contextlib.contextmanager
def preferred(wanted: bool) -> Iterator[None]:
    """This process and those that it starts, in a CPU cgroup of the highest weight."""
    if not wanted:
        yield
        return
    with Preferred() as rig:
        (rig.group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
        try:
            yield
        finally:
            outside = rig.group.parent / "cgroup.procs"
            outside.write_text(str(os.getpid()), encoding="ascii")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="1g")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=BUILD / "bench" / "logs")
    parser.add_argument("--prefer", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    make_logs(args.folder, args.size)
    load = os.getloadavg()[0]
    lines = [
        f"CPU time of ours divided by the other's; median (range) of {args.pairs} pairs; logs of",
        f"{args.size}, packed ones of 64m; load average {load:.1f} at the start"
        + (", preferred to all else by a CPU cgroup." if args.prefer else "."),
        "",
        "| | ratio | to reach | peak memory |",
        "|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with preferred(args.prefer):
        for row in rows(args.folder):
            lines.append(compare(row, args.pairs))
            print(lines[-1], flush=True)
    if args.write:
        write_doc(lines)


if __name__ == "__main__":
    main()
