#!/usr/bin/python3
"""What logs cost a run while it goes on: the null engine at full speed with and without them.

    bench/log_cost.py [--pairs=11] [--seconds=1] [--prefer] [--write]

Runs of both kinds in turns, the worker on one core, the thread that writes the logs free to take
another. Shown are medians over the pairs and their ranges. --prefer puts both into a CPU cgroup of
the highest weight, as bench/compare.py does. --write puts the table into doc/speed.md.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compare import BATCH_32, DOC, NATIVE, Preferred

BEGIN, END = "<!-- log cost: begin -->", "<!-- log cost: end -->"
NULL = ["run", "--no-store", "--format=json", "--name=j", "--ioengine=null", "--rw=randread",
        "--bs=4k", "--size=8g", "--iodepth=32", "--norandommap", "--time_based"]  # fmt: skip
LOGS = ["--write_lat_log", "--write_iops_log"]
MOST_LOSS = 0.15


@dataclass(frozen=True)
class Row:
    name: str
    options: list[str]
    logs: list[str]
    bound: bool = False


ROWS = [
    Row("latency and IOPS logs", [], LOGS, bound=True),
    Row("the same, batch 32", BATCH_32, LOGS),
    Row("the same with offsets", ["--log_offset=1"], LOGS),
    Row("windows of 1 s alone", ["--log_avg_msec=1s"], LOGS),
    Row("--keep-worst=10 alone", [], ["--keep-worst=10"]),
]


@dataclass(frozen=True)
class Cost:
    iops: float
    worker_ns: float  # CPU of the worker's thread per I/O
    writer_ns: float  # and of the process beyond it
    lost: float  # share of the requests that are in no log
    peak_mib: float


def run(core: int, cgroup: str | None, options: list[str]) -> Cost:
    with tempfile.TemporaryDirectory(dir=NATIVE.parent) as folder:
        argv = [NATIVE, *NULL, f"--cpus_allowed={core}", *options]

        def join() -> None:
            if cgroup:
                Path(cgroup).write_text("0", encoding="ascii")

        with subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, preexec_fn=join) as child:
            assert child.stdout
            told = json.loads(child.stdout.read())
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(map(str, argv))} ended with {child.returncode}")
    group = told["groups"][0]
    ios, cpu = group["read"]["ios"], group["cpu"]
    lost = [int(note["text"].split()[0]) for note in told["notes"] if note["id"] == "log-lost"]
    return Cost(
        group["read"]["ios_per_s"],
        (cpu["user_ns"] + cpu["system_ns"]) / ios,
        cpu["beyond_its_threads_ns"] / ios,
        sum(lost) / ios,
        usage.ru_maxrss / 1024,
    )


def spread(values: list[float], form: str) -> str:
    middle = format(statistics.median(values), form)
    return f"{middle} ({min(values):{form}} to {max(values):{form}})"


def measure(row: Row, core: int, cgroup: str | None, args: argparse.Namespace) -> str:
    timed = [f"--runtime={args.seconds}s", *row.options]
    pairs = []
    for turn in range(args.pairs):
        order = [row.logs, []] if turn % 2 else [[], row.logs]
        costs = {bool(logs): run(core, cgroup, [*timed, *logs]) for logs in order}
        pairs.append((costs[True], costs[False]))
    loss = [1 - logged.iops / plain.iops for logged, plain in pairs]
    bound = ""
    if row.bound:
        holds = statistics.median(loss) <= MOST_LOSS
        bound = f"<= {MOST_LOSS:.0%}: {'yes' if holds else 'NO'}"
    cells = [
        row.name,
        spread([plain.iops / 1e6 for _, plain in pairs], ".1f"),
        spread(loss, ".0%"),
        bound,
        spread([logged.worker_ns - plain.worker_ns for logged, plain in pairs], ".1f"),
        spread([logged.writer_ns for logged, _ in pairs], ".1f"),
        spread([logged.lost for logged, _ in pairs], ".1%"),
        f"{max(logged.peak_mib for logged, _ in pairs):.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def write_doc(lines: list[str]) -> None:
    text = DOC.read_text(encoding="utf-8")
    if BEGIN not in text:
        text += f"\n## Logs of runs\n\n{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    DOC.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")


@contextlib.contextmanager
def preferred(wanted: bool) -> Iterator[str | None]:
    if not wanted or Preferred.lacks():
        yield None
        return
    with Preferred() as rig:
        yield str(rig.group / "cgroup.procs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--prefer", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    lines = [
        f"Null engine, 4 KiB random reads at depth 32; {args.pairs} pairs of {args.seconds} s, the",
        f"worker on core {core}; load average {os.getloadavg()[0]:.1f} at the start.",
        "",
        "| logs | M IOPS without | loss | to reach | worker ns per I/O more | writer ns per I/O |"
        " requests missing, counted | peak MiB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with preferred(args.prefer) as cgroup:
        for row in ROWS:
            lines.append(measure(row, core, cgroup, args))
            print(lines[-1], flush=True)
    if args.write:
        write_doc(lines)


if __name__ == "__main__":
    main()
