#!/usr/bin/python3
"""Ours and Debian's fio in turns on the same rigs: IOPS and CPU time per I/O, as ratios.

    bench/compare.py [--quick] [--write] [--pairs N] [--seconds S] [--list] [ROW…]

Each row is a rig and a command. Both programs get the same options and are pinned to the same
core; each is warmed up once; then come five pairs, the first place of a pair taken in turns. CPU
time is wait4's, of the whole program from start to exit: all threads, io-wq's too. Shown are
medians and, in brackets, ranges; a ratio is the median over the pairs, so that what disturbs a
pair disturbs both its sides. --write puts the tables into doc/speed.md. --quick makes one short
pair of each row, to see that all of it works.
"""

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "tests"))

from rigs import places  # noqa: E402
from rigs.loop import Loop  # noqa: E402
from rigs.rig import Rig  # noqa: E402
from rigs.scratch import Scratch  # noqa: E402
from rigs.zram import Zram  # noqa: E402

OURS = places.BUILD / "fio"
NATIVE = places.BUILD / "assay"
FIO = Path("/usr/bin/fio")
BARE = places.BUILD / "bench" / "bare"
METER = places.BUILD / "bench" / "meter"
DOC = REPO / "doc" / "speed.md"
RIG_BYTES = 256 << 20

BATCH_32 = ["--iodepth_batch=32", "--iodepth_batch_complete_min=32"]


@dataclass(frozen=True)
class Cost:
    """What one run did and took."""

    ios: int
    seconds: float  # of the I/O itself, as the program reports it
    cpu_s: float
    wall_s: float
    peak_kib: int

    @property
    def iops(self) -> float:
        return self.ios / self.seconds

    @property
    def cpu_ns(self) -> float:
        """Per I/O."""
        return self.cpu_s * 1e9 / self.ios


@dataclass(frozen=True)
class Bound:
    """To reach: `figure` of ours, divided by the other side's, is at least or at most `value`."""

    figure: str
    least: float | None = None
    most: float | None = None

    def __str__(self) -> str:
        word, value = (">=", self.least) if self.least is not None else ("<=", self.most)
        assert value is not None
        small = f"1/{1 / value:.0f}" if value < 0.1 else f"{value:.2f}"
        return f"{NAMES[self.figure]} {word} {small}"

    def holds(self, ratio: float) -> bool:
        return ratio >= self.least if self.least is not None else ratio <= (self.most or 0)


NAMES = {"iops": "IOPS", "cpu_ns": "CPU", "wall_s": "wall", "peak_kib": "memory"}


@dataclass(frozen=True)
class Row:
    """A line of the table. `other` is the other side's options where they are not ours; `bare` are
    the words of the floor's loop (the file comes from the rig).
    """

    name: str
    rig: str
    options: Sequence[str]
    bounds: Sequence[Bound]
    program: Path = OURS
    other: Sequence[str] | None = None
    against: Path = FIO
    bare: Sequence[str] = ()
    bare_least: float | None = None
    spinners: bool = False
    fixed_work: bool = False  # has an end of its own
    figures: Sequence[str] = ("iops", "cpu_ns")


@dataclass
class Pairs:
    """All runs of a row, by side."""

    row: Row
    ours: list[Cost] = field(default_factory=list)
    other: list[Cost] = field(default_factory=list)
    bare: list[Cost] = field(default_factory=list)

    def ratios(self, figure: str, of: str = "other") -> list[float]:
        sides = zip(self.ours, getattr(self, of), strict=True)
        return [getattr(a, figure) / getattr(b, figure) for a, b in sides]


# --- rows ---


def io_uring(depth: int = 32, *more: str) -> list[str]:
    return ["--ioengine=io_uring", f"--iodepth={depth}", *more]


NULL = ["--ioengine=null", "--rw=randread", "--bs=4k", "--size=1G"]
ZERO = ["--rw=randread", "--bs=512", "--size=1G"]
DIRECT = ["--rw=randread", "--bs=4k", "--direct=1"]
LEAN = ["--fixedbufs", "--registerfiles", "--norandommap", *BATCH_32]
IDLE = " beside SCHED_IDLE spinners"
DISK = [Bound("iops", least=0.98), Bound("cpu_ns", most=0.8)]


def iops_at_least(value: float) -> list[Bound]:
    return [Bound("iops", least=value)]


def zram_rows() -> list[Row]:
    def row(name: str, options: list[str], least: float, bare: str) -> Row:
        words = bare.split()
        words.insert(1, "4096")
        bounds = iops_at_least(least)
        return Row(f"zram, {name}", "zram", [*DIRECT, *options], bounds, bare=[*words, "direct"])

    aio = ["--ioengine=libaio", "--iodepth=32"]
    return [
        row("io_uring", io_uring(), 1.05, "uring 32 4 1"),
        row("libaio", aio, 1.15, "aio 32 4 1"),
        row("libaio, batch 32", [*aio, *BATCH_32], 1.10, "aio 32 32 32"),
        row("psync", ["--ioengine=psync"], 1.10, "pread 1 1 1"),
    ]


def sched_batch_row() -> Row:
    """SCHED_BATCH lets the io-wq threads finish before the worker runs again; native face only."""
    plain = ["run", "--name=zram", *DIRECT, *io_uring()]
    return Row(
        "zram, io_uring: sched_batch=1 : without",
        "zram",
        [*plain, "--sched_batch=1"],
        [],
        program=NATIVE,
        other=plain,
        against=NATIVE,
    )


def disk_rows() -> list[Row]:
    return [
        Row(
            f"{what}, depth {depth}{IDLE if spinners else ''}",
            rig,
            [*DIRECT, *io_uring(depth)],
            DISK,
            spinners=spinners,
            bare=["uring", "4096", str(depth), str(max(1, depth // 8)), "1", "direct"],
        )
        for what, rig in (("ext4 file", "file"), ("loop device", "loop"))
        for depth, spinners in ((32, False), (1, False), (1, True))
    ]


def ours_rows() -> list[Row]:
    """Ours against ours: what may not cost."""
    one = [*NULL, "--iodepth=32"]
    most = [Bound("cpu_ns", most=1.1)]
    many = [*one, "--numjobs=100", "--group_reporting"]
    deep = [*NULL, "--iodepth=1024"]
    return [
        Row("100 jobs : 1 job", "null", many, most, other=one, against=OURS),
        Row("depth 1024 : depth 32", "null", deep, most, other=one, against=OURS),
    ]


def rows() -> list[Row]:
    once = ["--ioengine=null", "--rw=read", "--bs=4k", "--size=4k"]
    return [
        Row("null", "null", [*NULL, "--iodepth=32"], [Bound("cpu_ns", most=1 / 12)]),
        Row("null, batch 32", "null", [*NULL, "--iodepth=32", *BATCH_32], []),
        Row(
            "/dev/zero, io_uring",
            "zero",
            [*ZERO, *io_uring()],
            iops_at_least(3),
            bare=["uring", "512", "32", "4", "1"],
        ),
        Row(
            "/dev/zero, io_uring, batch 32 and all registered",
            "zero",
            [*ZERO, *io_uring(32, *LEAN)],
            iops_at_least(2),
            bare=["uring", "512", "32", "32", "32", "fixed"],
            bare_least=0.95,
        ),
        *zram_rows(),
        sched_batch_row(),
        *disk_rows(),
        Row(
            "/dev/zero, psync",
            "zero",
            [*ZERO, "--ioengine=psync"],
            iops_at_least(1.7),
            bare=["pread", "512", "1", "1", "1"],
        ),
        Row(
            "one I/O on null, start to exit",
            "null",
            once,
            [Bound("wall_s", most=1 / 50), Bound("peak_kib", most=1 / 4)],
            fixed_work=True,
            figures=("wall_s", "peak_kib"),
        ),
        *ours_rows(),
    ]


# --- rigs: each gives the file to load, or None where the engine needs none ---


@contextlib.contextmanager
def no_file() -> Iterator[str | None]:
    yield None


@contextlib.contextmanager
def zero() -> Iterator[str | None]:
    yield "/dev/zero"


def fill_random(path: str, size: int) -> None:
    with open(path, "r+b", buffering=0) as device:
        for _ in range(size >> 20):
            device.write(os.urandom(1 << 20))
        os.fsync(device.fileno())


@contextlib.contextmanager
def zram() -> Iterator[str | None]:
    with Zram(RIG_BYTES) as device:
        fill_random(device.dev, RIG_BYTES)
        yield device.dev


@contextlib.contextmanager
def loop() -> Iterator[str | None]:
    with Loop(RIG_BYTES, ram=True) as device:
        fill_random(device.dev, RIG_BYTES)
        yield device.dev


@contextlib.contextmanager
def file() -> Iterator[str | None]:
    with Scratch("bench") as folder:
        path = str(folder.file("data", RIG_BYTES))
        fill_random(path, RIG_BYTES)
        yield path


RIGS: dict[str, Callable[[], contextlib.AbstractContextManager[str | None]]] = {
    "null": no_file,
    "zero": zero,
    "zram": zram,
    "loop": loop,
    "file": file,
}


def why_not(rig: str) -> str | None:
    if rig == "file":
        kind = subprocess.run(
            ["stat", "-f", "-c", "%T", places.BUILD], capture_output=True, text=True, check=True
        ).stdout
        return None if kind.startswith("ext") else f"the build folder is on {kind.strip()}"
    kinds = {"zram": Zram, "loop": Loop}
    return kinds[rig].why_not() if rig in kinds else None


@contextlib.contextmanager
def spinning(wanted: bool) -> Iterator[None]:
    """A SCHED_IDLE spinner on each core keeps it from halting, and yields to everything else."""
    cores = sorted(os.sched_getaffinity(0)) if wanted else []
    spin = ["chrt", "-i", "0", sys.executable, "-c", "while True: pass"]
    spinners = [subprocess.Popen(["taskset", "-c", str(core), *spin]) for core in cores]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


class Preferred(Rig):
    """A CPU cgroup of the highest weight. (A nice value would not do: fio's jobs are sessions of
    their own, and with autogroups the scheduler weighs sessions.)
    """

    @classmethod
    def lacks(cls) -> str | None:
        return None if cls.weight_file() else "no CPU cgroup"

    @staticmethod
    def weight_file() -> tuple[Path, str, str] | None:
        v1, v2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
        if (v1 / "cpu.shares").exists():
            return v1, "cpu.shares", "262144"
        controllers = v2 / "cgroup.subtree_control"
        if controllers.exists() and "cpu" in controllers.read_text(encoding="ascii").split():
            return v2, "cpu.weight", "10000"
        return None

    def up(self) -> None:
        there = self.weight_file()
        assert there
        self.group = there[0] / f"assay-bench-{places.SESSION}"
        self.hold("cgroup", self.group)
        self.group.mkdir()
        (self.group / there[1]).write_text(there[2], encoding="ascii")


# --- runs ---


# Their work is done by threads of the kernel, outside any cgroup: preferring only the programs
# would starve what they wait for.
KERNEL_RIGS = ("loop",)


class Bench:
    def __init__(self, core: int, cgroup: str, pairs: int, seconds: float, folder: Path):
        self.core = core
        self.cgroup = cgroup
        self.pairs = pairs
        self.seconds = seconds
        self.folder = folder

    def metered(self, argv: Sequence[str], rig: str = "") -> tuple[str, Cost]:
        """Runs the command on the one core; the cost has no I/O in it yet."""
        cgroup = "-" if rig in KERNEL_RIGS else self.cgroup
        report = self.folder / "report"
        pinned = [str(METER), str(report), str(self.core), cgroup, *argv]
        env = {**os.environ, "LC_ALL": "C", "ASSAY_NOTES": "0"}
        done = subprocess.run(
            pinned, cwd=self.folder, env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}: {' '.join(argv)}\n{done.stderr}")
        wall_ns, user_us, system_us, peak_kib = map(int, report.read_text().split())
        return done.stdout, Cost(0, 0, (user_us + system_us) / 1e6, wall_ns / 1e9, peak_kib)

    def job(self, program: Path, options: Sequence[str], target: str | None, row: Row) -> Cost:
        seconds = max(1, round(self.seconds))
        timed = [] if row.fixed_work else ["--time_based", f"--runtime={seconds}s"]
        where = [f"--filename={target}"] if target else []
        if program == NATIVE:
            argv = [str(program), *options, *where, *timed, "--format=json"]
        else:
            argv = [str(program), "--name=bench", *options, *where, *timed]
            argv += ["--output-format=json", "--eta=never"]
        out, cost = self.metered(argv, row.rig)
        count, span_s = native_work(out) if program == NATIVE else fio_work(out)
        return Cost(count, span_s, cost.cpu_s, cost.wall_s, cost.peak_kib)

    def floor(self, row: Row, target: str | None) -> Cost:
        loop_name, block, depth, batch, least, *words = row.bare
        timing = [block, depth, batch, least, f"{self.seconds:.1f}", *words]
        out, cost = self.metered([str(BARE), loop_name, str(target), *timing], row.rig)
        told = json.loads(out)
        return Cost(told["ios"], told["seconds"], cost.cpu_s, cost.wall_s, cost.peak_kib)

    def sides(self, row: Row, target: str | None) -> dict[str, Callable[[], Cost]]:
        other = row.options if row.other is None else row.other
        sides = {
            "ours": lambda: self.job(row.program, row.options, target, row),
            "other": lambda: self.job(row.against, other, target, row),
        }
        if row.bare:
            sides["bare"] = lambda: self.floor(row, target)
        return sides

    def run(self, row: Row, target: str | None) -> Pairs:
        result = Pairs(row)
        with spinning(row.spinners):
            sides = self.sides(row, target)
            if self.pairs > 1:
                for side in sides.values():
                    side()  # the warm-up
            for pair in range(self.pairs):
                order = list(sides) if pair % 2 == 0 else list(sides)[::-1]
                for name in order:
                    getattr(result, name).append(sides[name]())
        return result


def fio_work(out: str) -> tuple[int, float]:
    """From counts and runtimes, not from what a program calls its IOPS."""
    told = json.loads(out[out.index("{") :])
    reads = [job["read"] for job in told["jobs"]]
    return sum(r["total_ios"] for r in reads), max(1e-3, max(r["runtime"] for r in reads) / 1e3)


def native_work(out: str) -> tuple[int, float]:
    told = json.loads(out)
    return sum(g["read"]["ios"] for g in told["groups"]), told["span_ns"] / 1e9


def memory_per_worker(bench: Bench) -> float:
    """KiB that each worker of 100 keeps resident beyond its buffers (32 of 4 KiB)."""
    row = Row("", "null", [], [])
    one = bench.job(OURS, [*NULL, "--iodepth=32"], None, row)
    many = bench.job(OURS, [*NULL, "--iodepth=32", "--numjobs=101"], None, row)
    return (many.peak_kib - one.peak_kib) / 100 - 32 * 4


def lateness(bench: Bench, engine: str, target: str | None) -> dict[str, float]:
    """How late requests of 10,000 arrivals a second are submitted."""
    where = [f"--filename={target}"] if target else []
    options = ["--rw=randread", "--bs=512", "--size=1G", f"--ioengine={engine}", "--iodepth=32"]
    timed = ["--rate_iops=10000", "--time_based", f"--runtime={max(1, round(bench.seconds))}s"]
    argv = [str(NATIVE), "run", "--name=arrivals", *options, *where, *timed, "--format=json"]
    told = json.loads(bench.metered(argv)[0])["groups"][0]
    late = told["arrivals"]["lateness"]["percentiles_ns"]
    return {"p50": late["50"], "p99": late["99"], "iops": told["read"]["ios_per_s"]}


# --- what is printed ---


def number(value: float) -> str:
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {unit}"
    return f"{value:.3g}"


def spread(values: Sequence[float], show: Callable[[float], str] = number) -> str:
    middle = statistics.median(values)
    if len(values) == 1:
        return show(middle)
    return f"{show(middle)} ({show(min(values))} to {show(max(values))})"


def ratio(value: float) -> str:
    return f"1/{1 / value:.1f}" if value < 0.2 else f"{value:.2f}"


SHOW: dict[str, tuple[str, Callable[[float], str]]] = {
    "iops": ("IOPS", number),
    "cpu_ns": ("CPU ns per I/O", number),
    "wall_s": ("wall ms", lambda s: f"{s * 1e3:.1f}"),
    "peak_kib": ("peak MiB", lambda kib: f"{kib / 1024:.1f}"),
}

HEAD = """\
| rig | figure | ours | the other | ratio | to reach | floor | ours : floor |
|---|---|---|---|---|---|---|---|
"""


def lines(pairs: Pairs) -> Iterator[str]:
    """A line for each figure of a row."""
    row = pairs.row
    for figure in row.figures:
        title, show = SHOW[figure]
        against = pairs.ratios(figure)
        middle = statistics.median(against)
        bounds = [b for b in row.bounds if b.figure == figure]
        reach = "; ".join(f"{b}: {'yes' if b.holds(middle) else 'NO'}" for b in bounds)
        floor, to_floor = "", ""
        if pairs.bare:
            floor = spread([getattr(c, figure) for c in pairs.bare], show)
            to_bare = pairs.ratios(figure, "bare")
            to_floor = spread(to_bare, ratio)
            if figure == "iops" and row.bare_least:
                met = "yes" if statistics.median(to_bare) >= row.bare_least else "NO"
                to_floor += f"; >= {row.bare_least}: {met}"
        ours = spread([getattr(c, figure) for c in pairs.ours], show)
        other = spread([getattr(c, figure) for c in pairs.other], show)
        cells = [row.name, title, ours, other, spread(against, ratio), reach, floor, to_floor]
        yield "| " + " | ".join(cells) + " |\n"


def machine() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*:\s*(.*)", text)
    release = os.uname()
    cores = len(os.sched_getaffinity(0))
    return (
        f"{model[1] if model else release.machine}, {cores} cores, Linux {release.release}, "
        f"load average at the start {os.getloadavg()[0]:.1f}"
    )


def fio_version() -> str:
    return subprocess.run([FIO, "--version"], capture_output=True, text=True, check=True).stdout


def extras(bench: Bench) -> Iterator[str]:
    yield "\n| figure | value | to reach |\n|---|---|---|\n"
    kib = statistics.median(memory_per_worker(bench) for _ in range(min(3, bench.pairs)))
    met = "yes" if kib <= 320 else "NO"
    yield f"| resident memory per worker beyond its buffers | {kib:.0f} KiB | <= 320 KiB: {met} |\n"
    for engine, target in (("null", None), ("io_uring", "/dev/zero"), ("psync", "/dev/zero")):
        late = lateness(bench, engine, target)
        yield (
            f"| lateness at 10,000 arrivals a second, {engine} | p50 {late['p50'] / 1e3:.1f} us, "
            f"p99 {late['p99'] / 1e3:.1f} us, {late['iops']:.0f} IOPS | |\n"
        )


def write_doc(head: str, table: str) -> None:
    text = DOC.read_text(encoding="utf-8")
    begin, end = "<!-- tables: bench/compare.py --write -->\n", "<!-- end of tables -->"
    before, _, rest = text.partition(begin)
    if not rest:
        raise SystemExit(f"{DOC}: has no line {begin.strip()}")
    after = rest[rest.index(end) :]
    DOC.write_text(f"{before}{begin}\n{head}\n{table}\n{after}", encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("row", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--quick", action="store_true", help="one short pair of each row")
    parser.add_argument("--write", action="store_true", help=f"tables into {DOC.name}")
    parser.add_argument("--list", action="store_true", help="names of the rows")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each run")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument(
        "--prefer",
        action="store_true",
        help="a cgroup of the highest CPU weight for what is measured, for a busy machine; not "
        "for loop devices, whose work is done by threads of the kernel",
    )
    return parser.parse_args()


def measure(bench: Bench, wanted: Sequence[Row]) -> Iterator[str]:
    """Rows of one rig share it."""
    for rig in dict.fromkeys(row.rig for row in wanted):
        here = [row for row in wanted if row.rig == rig]
        reason = why_not(rig)
        if reason:
            yield from (f"| {row.name} | not here: {reason} | | | | | | |\n" for row in here)
            continue
        with RIGS[rig]() as target:
            for row in here:
                yield from lines(bench.run(row, target))


def main() -> int:
    args = parse()
    wanted = [r for r in rows() if not args.row or any(word in r.name for word in args.row)]
    if args.list:
        print("\n".join(row.name for row in rows()))
        return 0
    if args.quick:
        args.pairs, args.seconds = 1, 1
    subprocess.run(["ninja", "--quiet", "-C", places.BUILD], check=True)
    chosen = f"{args.pairs} pairs of {args.seconds:g} s, core {args.core}"
    chosen += ", preferred to all else by a CPU cgroup" if args.prefer else ""
    head = f"{machine()}; {fio_version().strip()}; {chosen}.\n"
    table = HEAD
    print(head, HEAD, sep="\n", end="", flush=True)
    with contextlib.ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="assay-bench-")))
        cgroup = str(held.enter_context(Preferred()).group) if args.prefer else "-"
        bench = Bench(args.core, cgroup, args.pairs, args.seconds, folder)
        tail = extras(bench) if not args.row else iter(())
        for part in (measure(bench, wanted), tail):
            for line in part:
                table += line
                print(line, end="", flush=True)
    if args.write:
        write_doc(head, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
