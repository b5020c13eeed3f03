"""No run is lost: whatever kills assay, what a run had done by then is in the store."""

import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from rigs.assay import ASSAY, run
from rigs.scratch import Scratch

SEED = 50417


@pytest.fixture
def place(scratch: Scratch) -> Path:
    return Path(scratch.path)


def env_of(place: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(place / "data")}


def go(place: Path, *args, rc: int = 0):
    return run(args, cwd=place, env=env_of(place)).check(rc)


def kill(place: Path, *args, after_s: float, when=lambda: True, sig=signal.SIGKILL) -> None:
    """Kills the command that long after `when` holds for the first time."""
    with subprocess.Popen(
        [str(ASSAY), *args], cwd=place, env=env_of(place), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while not when():
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(after_s)
        process.send_signal(sig)


def listed(place: Path) -> list[dict]:
    if not (place / "data/assay/results.db").exists():
        return []
    shown = run(["results", "list", "--format=json"], cwd=place, env=env_of(place))
    return shown.json() if shown.rc == 0 else []


def begun(place: Path, runs: int):
    """That many are in the list, and the newest goes on."""
    def holds() -> bool:
        states = [entry["state"] for entry in listed(place)]
        return len(states) >= runs and states[-1] == "running"  # fmt: skip

    return holds


NULL = ["run", "--name=a", "--ioengine=null", "--size=1g", "--rw=randread", "--bs=4k",
        "--time_based", "--runtime=60s", "--rate_iops=2000", "--interval=100ms"]  # fmt: skip

SHORT = ["run", "--name=a", "--ioengine=null", "--size=1g", "--rw=read", "--number_ios=10"]


def test_a_killed_run_is_there_with_what_it_had_done(place):
    draw = random.Random(SEED)
    for number in range(1, 4):
        after_s = draw.uniform(0.1, 1.5) if number < 3 else 2.8
        kill(place, *NULL, after_s=after_s, when=begun(place, number))
        entry = listed(place)[-1]
        assert (entry["id"], entry["state"]) == (f"r{number}", "cut off")
        shown = go(place, "results", "show", "@last", "--format=json").json()
        assert shown["record"]["cut_off"]
        assert "rate_iops=2000" in shown["record"]["job_text"]
        assert shown["environment"]["host"]["name"] or shown["environment"]
    whole = shown["series"]
    assert len(whole) >= 10
    assert [row["begin_ns"] for row in whole] == [i * 100_000_000 for i in range(len(whole))]
    assert 0.8 < shown["groups"][0]["read"]["ios_per_s"] / 2000 < 1.2
    used = next(c for c in shown["vitals"]["channels"] if (c["kind"], c["name"]) == ("cpu", "all"))
    assert len(used["values"]) >= 1 and all(value is None or value >= 0 for value in used["values"])
    assert "CPU use (percent)" in go(place, "report", "@last").out
    assert "not complete: the run was cut off" in go(place, "results", "show", "@last").out
    assert "r3 is not complete" in " ".join(go(place, "compare", "r3", "r3").out.split())


def test_a_run_that_ends_is_not_cut_off_and_keeps_its_number(place):
    short = [*NULL[:-3], "--runtime=2500ms", *NULL[-2:]]
    out = go(place, *short, "--format=json")
    assert out.json()["record"]["id"] == "r1"
    assert out.json()["record"]["cut_off"] is False
    assert go(place, "results", "show", "r1", "--format=json").out == out.out
    assert [entry["state"] for entry in listed(place)] == ["done"]


def test_a_run_that_was_stopped_is_marked_wherever_it_is_used(place):
    """By a signal, --max-write or an error: its figures are of less than was asked for."""
    whole = [*NULL[:-3], "--runtime=300ms", *NULL[-2:]]
    go(place, *whole)
    kill(place, *NULL, after_s=0.3, when=begun(place, 2), sig=signal.SIGINT)
    go(place, "run", "--name=a", "--filename=f", "--size=1m", "--rw=write", "--bs=4k",
       "--time_based", "--runtime=60s", "--max-write=2m")  # fmt: skip
    assert [entry["state"] for entry in listed(place)] == ["done", "not complete", "not complete"]
    why = [entry["incomplete"] for entry in listed(place)]
    assert why == [None, "stopped by SIGINT", "stopped at --max-write"]
    page = " ".join(go(place, "results", "list").out.split())
    assert page.count("not complete") == 3 and "it was stopped or ended by an error" in page
    assert "not complete: stopped by SIGINT" in go(place, "results", "show", "r2").out
    assert "r2 is not complete: stopped by SIGINT" in go(place, "compare", "r1", "r2").out
    for sides in [("r1", "r2"), ("r2", "r1")]:  # whichever way it is, no verdict rests on it
        judged = go(place, "gate", *sides, "--format=json", rc=2).json()
        assert {figure["outcome"] for figure in judged["figures"]} == {"cannot tell"}
        assert "stopped by SIGINT" in (judged["baseline_incomplete"], judged["new_incomplete"])
    target = listed(place)[0]["title"].split(" on ")[-1]
    history = run(["history", target, "--format=json"], cwd=place, env=env_of(place))
    if history.rc == 0:
        assert history.json()["runs_left_out"] == 1


def test_a_run_that_does_not_start_leaves_nothing(place):
    go(place, "run", "--name=a", "--filename=none/f", "--size=1m", "--rw=read", rc=6)
    assert listed(place) == []


def test_no_store_keeps_nothing_of_a_killed_run(place):
    kill(place, *NULL, "--no-store", after_s=0.5)
    assert not (place / "data").exists()


def test_the_head_alone_where_the_store_lies_on_what_is_measured(place):
    """Rows wait in memory; the bytes that the store wrote are a note of a run that ended."""
    args = ["run", "--name=a", "--filename=f", "--size=1m", "--rw=randread", "--bs=4k",
            "--time_based", "--rate_iops=100"]  # fmt: skip
    ended = go(place, *args, "--runtime=300ms", "--format=json").json()
    if "store-on-target" not in [note["id"] for note in ended["notes"]]:
        pytest.skip("the folder's device is no drive that assay can tell")
    kill(place, *args, "--runtime=60s", after_s=3, when=begun(place, 2))
    shown = go(place, "results", "show", "r2", "--format=json").json()
    assert shown["series"] == []
    assert shown["record"]["cut_off"] and "[a]" in shown["record"]["job_text"]
    page = " ".join(go(place, "results", "show", "r2").out.split())
    assert "no figure was kept" in page and "A store on another drive (--store=FILE)" in page
    assert "wrote no logs that could be" in go(place, "log", "judge", "r2", rc=4).err
    kill(place, *args, "--runtime=60s", "--write_lat_log=left", after_s=3, when=begun(place, 3))
    page = " ".join(go(place, "report", "r3").out.split())
    assert "A store on another drive (--store=FILE)" in page
    assert f"{place}/left_lat.1.alog" in page and "not known: it was not closed" in page
    told = run(["log", "judge", "@last", "--interval=100ms", "--format=json"], cwd=place, env=env_of(place))
    assert told.rc in (0, 1, 2), told.err
    assert told.json()["requests"] > 20
    (place / "left_lat.1.alog").unlink()
    gone = go(place, "log", "judge", "@last", rc=4).err
    assert "was cut off before its rows were kept" in gone and "there is no such file" in gone


def test_quick_keeps_each_cell_as_it_ends(place):
    """Killed in its second cell or later: the cells before are there, whole."""
    def second():
        runs = run(["results", "sql", "SELECT count(*) FROM parts"], cwd=place, env=env_of(place))
        return runs.rc == 0 and int(runs.out.split()[-1]) >= 2  # fmt: skip

    kill(place, "quick", ".", "--size=16m", "--time=1s", "--cells=RND4K-Q1T1", "--repeat=9",
         after_s=0.1, when=second)  # fmt: skip
    shown = go(place, "results", "show", "@last").out
    assert "RND4K Q1T1" in shown and "the run was cut off" in " ".join(shown.split())
    assert listed(place)[0]["ios_per_s"] > 0


def test_quick_that_is_stopped_keeps_repetitions_that_are_not_whole(place):
    kill(place, "quick", ".", "--size=16m", "--time=200ms", "--cells=RND4K-Q1T1,SEQ1M-Q1T1",
         "--repeat=9", after_s=2, when=begun(place, 1), sig=signal.SIGINT)  # fmt: skip
    entry = listed(place)[0]
    assert entry["state"] == "not complete" and entry["groups"] >= 2
    assert "stopped by" in " ".join(go(place, "results", "show", "@last").out.split())


def test_a_history_leaves_out_what_was_cut_off(place):
    for _ in range(3):
        go(place, "run", "--name=a", "--filename=f", "--size=1m", "--rw=read", "--number_ios=20")
    with sqlite3.connect(place / "data/assay/results.db") as db:
        db.execute("UPDATE runs SET state = 'cut off' WHERE id = 2")
    db.close()
    told = go(place, "history", "f", "--format=json").json()
    assert [run["run"] for run in told["cells"][0]["runs"]] == ["r1", "r3"]
    assert "1 of its runs did not come to its end" in " ".join(go(place, "history", "f").out.split())


def test_the_last_run_is_one_of_the_list_and_no_cell_of_a_plan(place):
    go(place, *SHORT)
    (place / "p.plan").write_text("[a]\nstep=run\nrw=randread\nbs=4k\nnumber_ios=100\n")
    go(place, "plan", "run", "./p.plan", "sim:nvme-enterprise,size=64m")
    assert go(place, "results", "show", "@last", "--format=json").json()["record"]["id"] == "r1"


def test_the_views_are_documented_column_by_column(place):
    """doc/store.md names every view and its columns, in order."""
    go(place, *SHORT)
    doc = (Path(__file__).resolve().parents[2] / "doc/store.md").read_text()
    lines = [line for line in doc.splitlines() if line.startswith("| `")]
    with sqlite3.connect(place / "data/assay/results.db") as db:
        views = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type='view'")]
        columns = {view: [row[1] for row in db.execute(f"PRAGMA table_info({view})")]
                   for view in views}  # fmt: skip
    db.close()
    told = {}
    for line in lines:
        name, _, listed = (part.strip() for part in line.strip("|").split("|"))
        told[name.strip("`")] = listed.replace("`", "").replace(" (or the plan)", "").split(", ")
    assert told == columns
