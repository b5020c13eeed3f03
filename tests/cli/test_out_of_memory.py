"""Memory that runs out anywhere in a command ends it with a sentence and code 6: never by a signal,
never with another figure, nothing half made stays, and the store holds what was finished. The
allocations that fail are the first ones and a draw of the others.
"""

import json
import random
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rigs import failalloc
from rigs.assay import FIO_FACE, Result, run
from rigs.places import BUILD
from rigs.scratch import Scratch

SEED = 20261201
DENSE = 12  # the first ones

JOB = ["--name=a", "--filename=f", "--size=1m", "--rw=randread", "--bs=4k", "--iodepth=4"]
PLAN = "[a]\nstep=run\nrw=randread\nbs=4k\nnumber_ios=100\n"
LOG = "x_clat.1.log"
SIMULATED = "sim:nvme-enterprise,size=64m"

sanitized = "asan" in BUILD.name or "tsan" in BUILD.name
pytestmark = pytest.mark.skipif(sanitized, reason="a sanitizer has an allocator of its own")


class Place:
    """A folder for each attempt, as `made` left the first one; its store has one run."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.first = folder / "first"
        self.first.mkdir()
        made = run(["run", *JOB, "--number_ios=8"], cwd=self.first, env=self.env(self.first))
        made.check()
        (self.first / "p.plan").write_text(PLAN)
        rows = (f"{i}, {100_000 + i * 7919 % 5000}, 0, 4096, {i * 4096}, 0\n" for i in range(2000))
        (self.first / LOG).write_text("".join(rows))

    def env(self, folder: Path) -> dict[str, str]:
        return {"XDG_DATA_HOME": str(folder / "data")}

    def attempt(self, name: str, args: list[str], program: str = "assay", **how) -> tuple:
        """The folder, and how it ended there."""
        folder = self.folder / name
        shutil.copytree(self.first, folder)
        env = {**self.env(folder), **failalloc.environment(program, **how)}
        face = {"program": FIO_FACE} if program == "fio" else {}
        return folder, run(args, cwd=folder, env=env, **face)


@pytest.fixture
def place(scratch: Scratch) -> Place:
    return Place(Path(scratch.path))


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def told(result: Result, tidying: int = 0) -> None:
    """One sentence: what ran out, and what helps; so many more of what could not be tidied up."""
    said = [line for line in result.err.splitlines() if "memory" in line]
    assert 1 <= len(said) <= 1 + tidying, str(result)
    for line in said:
        assert line.startswith("assay: ") and "need less" in line, str(result)


def store_is_whole(folder: Path, at_least: int = 1) -> None:
    with sqlite3.connect(folder / "data/assay/results.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM runs").fetchone()[0] >= at_least
    db.close()


def draw(place: Place, args: list[str], drawn: int, *, program="assay", dense=DENSE) -> list[int]:
    count = place.folder / "count"
    folder, whole = place.attempt("counted", args, program, count=count)
    shutil.rmtree(folder)
    assert whole.rc in (0, 2), str(whole)
    total = int(count.read_text())
    assert total > dense
    rest = range(dense + 1, total + 1)
    # The end of a command has many small ones, its set-up some thousands in SQLite alone.
    late = range(max(dense + 1, total - 200), total + 1)
    rng = random.Random(SEED)
    return sorted({*range(1, dense + 1), *rng.sample(rest, min(drawn, len(rest))),
                   *rng.sample(late, min(drawn // 2, len(late)))})  # fmt: skip


def at_once(attempt, points: list) -> list:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(attempt, points))


def each(place: Place, args: list[str], drawn: int, look, *, dense=DENSE) -> None:
    """Every drawn allocation fails once; `look` sees what went through all the same."""
    def one(n: int) -> int:
        folder, result = place.attempt(f"n{n}", args, fail=str(n))
        assert result.rc >= 0, f"allocation {n}: {result}"
        extra = names(folder) - names(place.first)
        if result.rc in (0, 2):
            look(folder, result)
        else:
            assert result.rc == 6, f"allocation {n}: {result}"
            told(result)
            assert not extra, f"allocation {n} left {extra}: {result}"
        temporary = [str(path) for path in folder.rglob("*") if path.suffix in (".tmp", ".new")]
        assert not temporary, f"allocation {n}: {result}"
        store_is_whole(folder)
        shutil.rmtree(folder)
        return result.rc  # fmt: skip

    assert at_once(one, draw(place, args, drawn, dense=dense)).count(6) >= dense // 2


def test_a_run_without_memory(place: Place) -> None:
    def look(folder: Path, result: Result) -> None:
        assert result.json()["groups"][0]["read"]["ios"] == 256  # fmt: skip

    each(place, ["run", *JOB, "--format=json"], 20, look)


def test_a_run_that_is_cut_off_so_is_in_the_store(place: Place) -> None:
    """There is no more memory from somewhere near its end on; its rows are kept as after a kill."""
    args = ["run", *JOB, "--time_based", "--runtime=300ms", "--interval=100ms", "--rate_iops=500"]
    last = draw(place, args, 2)[-1]

    def state(back: int) -> list[str]:
        folder, result = place.attempt(f"back{back}", args, fail=f"{last - back}+")
        assert result.rc in (0, 6), str(result)
        listed = run(["results", "list", "--format=json"], env=place.env(folder)).check().json()
        states = [entry["state"] for entry in listed if entry["id"] == "r2"]
        assert result.rc or states == ["done"], str(result)
        return states  # fmt: skip

    states = sum(at_once(state, [0, 300, 700, 1000, 1400]), [])
    assert "cut off" in states and set(states) <= {"done", "cut off"}, states


def test_quick_without_memory_leaves_no_file(place: Place) -> None:
    def look(folder: Path, result: Result) -> None:
        assert len(result.json()["runs"]) == 3
        assert names(folder) == names(place.first)  # fmt: skip

    each(place, ["quick", ".", "--size=16m", "--time=100ms", "--cells=RND4K-Q1T1",
                 "--format=json"], 4, look, dense=2)  # fmt: skip


def test_a_plan_without_memory(place: Place) -> None:
    args = ["plan", "run", "./p.plan", SIMULATED, "--format=json"]
    _, whole = place.attempt("whole", args)
    steps = whole.check().json()["steps"]

    def figures(step: dict) -> str:
        return json.dumps([step[key] for key in sorted(step) if key not in ("run", "runs")])

    def look(_: Path, result: Result) -> None:
        assert [figures(s) for s in result.json()["steps"]] == [figures(s) for s in steps]

    each(place, args, 20, look)


@pytest.mark.parametrize("args", [
    ["log", "bin", LOG], ["log", "judge", LOG, "--format=json"], ["log", "info", LOG],
    ["log", "bin", LOG, "-o", "t.csv"], ["log", "convert", LOG, "-o", "x.out"], ["report", LOG, "-o", "r.html"],
    ["report", "r1", "-o", "r.html"], ["results", "show", "r1", "--format=json"]],
    ids=lambda args: "-".join([*args[:2], *args[3:4]]))  # fmt: skip
def test_what_only_reads_without_memory(place: Place, args: list[str]) -> None:
    folder, whole = place.attempt("whole", args)
    made = {name: (folder / name).read_bytes() for name in names(folder) - names(place.first)}

    def look(folder: Path, result: Result) -> None:
        assert (result.rc, result.out) == (whole.rc, whole.out)
        for name, content in made.items():
            assert (folder / name).read_bytes() == content

    each(place, args, 10, look)


def test_no_memory_at_all_from_some_point_on(place: Place) -> None:
    def one(point: tuple[list[str], int]) -> None:
        args, n = point
        folder, result = place.attempt(f"{args[0]}{n}", args, fail=f"{n}+")
        assert result.rc in (0, 2, 6), f"from allocation {n}: {result}"
        if result.rc == 6:
            told(result, tidying=1)
        store_is_whole(folder)
        shutil.rmtree(folder)

    commands = ["log", "judge", LOG], ["run", *JOB], ["plan", "run", "./p.plan", SIMULATED]
    at_once(one, [(args, n) for args in commands for n in draw(place, args, 4, dense=4)])


def test_fios_face_has_one_code_for_it(place: Place) -> None:
    def one(n: int) -> None:
        folder, result = place.attempt(f"fio{n}", JOB, "fio", fail=str(n))
        assert result.rc in (0, 1), f"allocation {n}: {result}"
        assert result.rc == 0 or "memory" in result.err
        shutil.rmtree(folder)

    at_once(one, draw(place, JOB, 6, program="fio"))
