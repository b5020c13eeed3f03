"""A plan that runs: what it finds, what is kept, and what a kill leaves."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from rigs.assay import ASSAY, run
from rigs.held import wait_until
from rigs.planned import figures
from rigs.scratch import Scratch

DRIVE = "sim:nvme-enterprise,scale=2000"
PLAN = """
[plan]
title=A small one
[global]
runtime=60ms
time_based
[fill]
step=fill
workers=2
[age]
step=precondition
bs=64k
needs=fill
[read]
step=sweep
rw=randrw
rwmixread=70
sweep=bs=4k,16k x iodepth=1,8
needs=age
check=errors == 0
[rest]
step=idle
for=100ms
[write]
step=rounds
rw=randwrite
iodepth=8
sweep=bs=4k,8k
until=steady(iops[bs=4k], mean[bs=8k], window=3)
max_rounds=4
needs=age
[limit]
step=find
rw=randread
find=p99 < 200us
by=iodepth
to=4
[verdict]
step=check
check=[bs=4k] write.iops >= 50% of spec.iops
check=write.steady == 1
"""


@pytest.fixture
def place(scratch: Scratch) -> Path:
    folder = Path(scratch.path)
    (folder / "small.plan").write_text(PLAN)
    (folder / "sheet").write_text("iops = 1000\n")
    return folder


def go(place: Path, *args, rc: int = 0, env=None):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data"), **(env or {})}).check(rc)


def run_plan(place: Path, *args, rc: int = 0):
    return go(place, "plan", "run", "./small.plan", DRIVE, *args, rc=rc)


def test_a_plan_is_carried_out_and_kept(place):
    live = run_plan(place, "--spec=sheet", "--format=json")
    document = live.json()
    steps = [entry["step"] for entry in document["journal"]]
    assert steps[:2] == ["fill", "age"]
    assert steps.count("read") == 4
    assert steps[6] == "rest"
    assert 6 <= steps.count("write") <= 8
    assert all(entry["state"] == "done" for entry in document["journal"])
    assert all(verdict["outcome"] == "pass" for verdict in document["verdicts"])
    assert document["state"] == "done"
    assert go(place, "results", "show", "p1", "--format=json").out == live.out
    text = run_plan(place, "--spec=sheet", "--no-report").out
    assert text.startswith("simulated: A small one")
    assert go(place, "results", "show", "@plan").out == text
    assert "kept as p2" in text


def test_a_report_is_written_and_its_path_comes_last(place):
    reports = place / "data/assay/reports"
    path = Path(run_plan(place, "--spec=sheet").out.splitlines()[-1])
    assert path.parent == reports and re.fullmatch(r"p1-[0-9a-f]{8}\.html", path.name)
    assert path.read_text().endswith("</html>\n")
    said = run_plan(place, "--spec=sheet", "--format=json")
    assert said.json()["id"] == "p2"
    assert said.err.splitlines()[-1].startswith(f"assay: report: {reports}/p2-")
    run_plan(place, "--spec=sheet", "--no-report")
    assert len(list(reports.iterdir())) == 2


def test_a_report_that_cannot_be_written_is_said_and_loses_nothing(place):
    (place / "data/assay").mkdir(parents=True)
    (place / "data/assay/reports").write_text("in the way")
    said = run_plan(place, "--spec=sheet", rc=6)
    assert "reports" in said.err.splitlines()[-1]
    assert "kept as p1" in said.out
    assert go(place, "results", "show", "p1").out == said.out


def test_a_fill_covers_the_range_once_whatever_its_workers(place):
    (place / "small.plan").write_text(
        "[fill]\nstep=fill\nworkers=3\n[age]\nstep=precondition\nbs=64k\n"
        "[part]\nstep=fill\nrange=25%\npasses=2\n")
    document = run_plan(place, "--format=json").json()
    journal, size = document["journal"], document["targets"][0]["size_bytes"]
    assert size - 2 * 128 * 1024 <= journal[0]["written_bytes"] <= size
    assert size - 64 * 1024 <= journal[1]["written_bytes"] <= size
    assert size / 2 - 256 * 1024 <= journal[2]["written_bytes"] <= size / 2


def test_runs_of_a_plan_stand_behind_it_and_go_with_it(place):
    document = run_plan(place, "--spec=sheet", "--format=json").json()
    cell = next(entry for entry in document["journal"] if entry["step"] == "read")
    shown = go(place, "results", "show", cell["run"]).out
    assert f"{cell['read']['ios_per_s']:,.0f}"[:5] in shown
    listed = go(place, "results", "list").out
    assert not re.search(r"^r\d+ ", listed, re.M)
    assert re.search(r"^p1 .*small.*done", listed, re.M) or "p1" in listed
    rows = go(place, "results", "sql", "SELECT count(*) FROM plan_matrix WHERE direction='all'")
    assert int(rows.out.split()[-1]) == sum("all" in entry for entry in document["journal"])
    go(place, "results", "rm", "p1")
    assert go(place, "results", "sql", "SELECT count(*) FROM runs").out.split()[-1] == "0"
    assert "there is no plan p1" in go(place, "results", "show", "p1", rc=4).err


def test_a_failed_check_and_one_without_a_data_sheet_are_exit_codes(place):
    (place / "small.plan").write_text("[a]\nstep=run\nrw=randread\nruntime=20ms\ntime_based\n"
                                      "check=iops >= 50% of spec.iops\n")
    assert "no datasheet was given" in " ".join(run_plan(place, rc=2).out.split())
    (place / "sheet").write_text("iops = 1000000000\n")
    assert "fail" in run_plan(place, "--spec=sheet", rc=1).out


def test_what_needs_a_failed_step_is_not_done(place):
    (place / "small.plan").write_text(
        "[global]\nruntime=20ms\ntime_based\nrw=randread\n"
        "[a]\nstep=run\ncheck=iops > 1000000000\n[b]\nstep=run\nneeds=a\n[c]\nstep=run\n")
    result = run_plan(place, "--format=json", rc=1).json()
    states = {entry["step"]: entry["state"] for entry in result["journal"]}
    assert states == {"a": "done", "b": "skipped", "c": "done"}


def test_scale_divides_times_and_capacity_and_is_said(place):
    whole = run_plan(place, "--spec=sheet", "--format=json").json()
    part = run_plan(place, "--spec=sheet", "--scale=4", "--format=json").json()
    assert part["scale"] == 4
    assert part["targets"][0]["size_bytes"] * 4 <= whole["targets"][0]["size_bytes"] * 1.01
    read = [[e["span_ns"] for e in d["journal"] if e["step"] == "read"] for d in (whole, part)]
    for a, b in zip(*read, strict=True):
        assert 3.9 < a / b < 4.1
    assert "scale 1/4" in go(place, "results", "show", "p2").out.splitlines()[0]


def test_repetitions_of_a_plan_interleave_the_targets(place):
    (place / "small.plan").write_text("[a]\nstep=run\nrw=randread\nruntime=10ms\ntime_based\n")
    document = go(place, "plan", "run", "./small.plan", DRIVE, DRIVE + ",seed=2", "--repeat=2",
                  "--format=json").json()
    assert [(e["target"], e["repetition"]) for e in document["journal"]] == [
        (0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.mark.parametrize(
    ("args", "words", "rc"),
    [
        (["plan", "run", "./small.plan"], "takes a plan and its targets", 4),
        (["plan", "run", "./small.plan", "sim:nothing"], "nothing", 4),
        (["plan", "run", "./small.plan", "/dev/not-there"], "/dev/not-there", 6),
        (["plan", "run", "./small.plan", "."], "is a directory: name a file in it", 4),
        (["plan", "run", "./small.plan", DRIVE, DRIVE], "is named twice", 4),
        (["plan", "run", "./small.plan", DRIVE, "./f"], "no targets of one plan", 4),
        (["plan", "run", "./small.plan", DRIVE, "--scale=0"], "--scale=0: from 1", 4),
        (["plan", "resume"], "no plan is unfinished", 4),
        (["plan", "resume", "p7"], "there is no plan p7", 4),
        (["plan", "resume", "r7"], '"r7" is no plan', 4),
    ],
)
def test_wrong_input_is_one_error_and_nothing_is_kept(place, args, words, rc):
    result = go(place, *args, rc=rc)
    assert words in result.err
    listed = run(["results", "list"], cwd=place, env={"XDG_DATA_HOME": str(place / "data")})
    assert "small" not in listed.out


def test_a_file_of_others_needs_consent_before_anything_is_done(place):
    (place / "precious").write_bytes(b"x" * 1048576)
    (place / "small.plan").write_text(
        "[r]\nstep=run\nrw=randread\n[w]\nstep=run\nrw=randwrite\nio_size=64k\n")
    result = go(place, "plan", "run", "./small.plan", "precious", rc=5)
    assert "--destroy=precious" in result.err
    assert (place / "precious").read_bytes() == b"x" * 1048576
    go(place, "plan", "run", "./small.plan", "precious", "--destroy=precious")
    assert (place / "precious").read_bytes() != b"x" * 1048576


# --- kills ---


def start(place: Path, *args):
    return subprocess.Popen([ASSAY, "plan", *args], cwd=place, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL,
                            env={**os.environ, "XDG_DATA_HOME": str(place / "data")})


def test_a_plan_killed_at_random_points_and_resumed_finds_the_same(place):
    """Twenty kills, wherever they fall; the seed is stated and the drive is simulated."""
    chance = random.Random(5)
    began = time.monotonic()
    whole = figures(run_plan(place, "--spec=sheet", "--format=json").json(), "verdicts")
    span = time.monotonic() - began
    process = start(place, "run", "./small.plan", DRIVE, "--spec=sheet")
    shown, home = ["results", "show", "p2", "--format=json"], {"XDG_DATA_HOME": str(place / "data")}
    # before it is in the store there is nothing to resume, and nothing was done
    assert wait_until(lambda: run(shown, cwd=place, env=home).rc == 0, 60)
    for _ in range(20):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.02, span / 8))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(place, "resume")
    process.wait()
    last = run(["plan", "resume"], cwd=place, env={"XDG_DATA_HOME": str(place / "data")})
    assert last.rc in (0, 4), last
    assert figures(go(place, "results", "show", "p2", "--format=json").json(), "verdicts") == whole
    left = [path.name for path in (place / "data/assay").iterdir() if "plan-" in path.name]
    assert left == []


def test_a_signal_stops_a_plan_in_order_and_it_goes_on(place):
    process = start(place, "run", "./small.plan", DRIVE, "--spec=sheet", "--set", "x=1")
    assert process.wait() == 4
    process = start(place, "run", "./small.plan", DRIVE, "--spec=sheet")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        shown = run(["results", "show", "p1", "--format=json"], cwd=place,
                    env={"XDG_DATA_HOME": str(place / "data")})
        if shown.rc == 0 and len(shown.json()["journal"]) >= 3:
            break
    process.send_signal(signal.SIGHUP)  # does not end it
    process.send_signal(signal.SIGINT)
    assert process.wait() in (128 + signal.SIGINT, 0)
    if process.returncode:
        assert json.loads(go(place, "results", "show", "p1", "--format=json").out)["state"] == "stopped"
        (report,) = (place / "data/assay/reports").iterdir()
        cut_off = report.read_text()
        assert go(place, "plan", "resume", "--format=json").json()["state"] == "done"
        assert report.read_text() != cut_off
    assert "is done" in go(place, "plan", "resume", "p1", rc=4).err


# --- other forms, and comparing ---


def two_sides(place: Path):
    (place / "small.plan").write_text(
        "[global]\nruntime=20ms\ntime_based\n[fill]\nstep=fill\n"
        "[read]\nstep=sweep\nrw=randread\nsweep=bs=4k,16k\nneeds=fill\n"
        "[seq]\nstep=run\nrw=read\nbs=128k\n")
    run_plan(place)
    go(place, "plan", "run", "./small.plan", "sim:sata-enterprise,scale=2000",
       "sim:sata-enterprise,scale=2000,seed=3", "--repeat=2")


def test_plans_are_compared_cell_by_cell(place):
    two_sides(place)
    one = go(place, "compare", "p1", "p2:1", "--format=csv").out
    keys = {line.split(",")[0].strip('"') for line in one.splitlines()[1:]}
    assert keys == {"randread 4 KiB depth 1 x1", "randread 16 KiB depth 1 x1",
                    "read 128 KiB depth 1 x1"}
    assert "name one, as in p2:1" in go(place, "compare", "p1", "p2", rc=4).err
    assert "p2 has 2 targets" in go(place, "compare", "p1", "p2:3", rc=4).err


def test_the_figures_come_as_csv(place):
    (place / "small.plan").write_text(
        "[r]\nstep=sweep\nrw=randrw\nruntime=20ms\ntime_based\nsweep=bs=4k,16k\n")
    document = run_plan(place, "--format=json").json()
    lines = go(place, "plan", "run", "./small.plan", DRIVE, "--format=csv").out.splitlines()
    head = lines[0].split(",")
    assert len(lines) == 1 + 2 * 3  # read, write and all
    first = dict(zip(head, lines[1].replace(f'"{DRIVE}"', "x").split(","), strict=True))
    cell = document["steps"][0]["cells"][0]
    assert first["direction"] == "read"
    assert float(first["ios_per_s"]) == pytest.approx(cell["read"]["ios_per_s"])
    assert float(first["mean_ns"]) == pytest.approx(cell["read"]["mean_ns"])


def test_all_directions_together_weigh_latencies_by_requests(place):
    (place / "small.plan").write_text(
        "[r]\nstep=run\nrw=randrw\nrwmixread=90\nruntime=50ms\ntime_based\nbs=4k,64k\n")
    cell = run_plan(place, "--format=json").json()["steps"][0]["cells"][0]
    ios = [cell[d]["ios"] for d in ("read", "write")]
    means = [cell[d]["mean_ns"] for d in ("read", "write")]
    weighted = sum(i * m for i, m in zip(ios, means, strict=True)) / sum(ios)
    assert cell["all"]["mean_ns"] == pytest.approx(weighted)
    assert abs(weighted - sum(means) / 2) > weighted * 0.05  # the plain mean would be wrong
    assert cell["all"]["ios"] == sum(ios)


def test_one_random_pass_leaves_what_two_leave(place):
    """On an empty simulated drive, in write amplification of what follows: its IOPS tell it."""
    drive = "sim:nvme-enterprise,scale=8000,op=28%"
    plan = ("[age]\nstep=precondition\n{}\n[write]\nstep=run\nrw=randwrite\niodepth=32\n"
            "io_size=100%\n")
    iops, written = [], []
    for text in ("method=one-pass\nspr_op=0.28", "passes=4"):
        (place / "small.plan").write_text(plan.format(text))
        document = go(place, "plan", "run", "./small.plan", drive, "--format=json").json()
        iops.append(document["steps"][1]["cells"][0]["write"]["ios_per_s"])
        written.append(document["journal"][0]["written_bytes"])
    assert iops[0] == pytest.approx(iops[1], rel=0.05)
    assert written[0] < written[1] * 0.4


def test_a_command_at_the_end_learns_how_it_went(place):
    (place / "small.plan").write_text(
        "[r]\nstep=run\nrw=randread\nruntime=20ms\ntime_based\ncheck=iops < 1\n")
    run_plan(place, "--on-finish=echo $ASSAY_PLAN $ASSAY_STATE $ASSAY_EXIT > end", rc=1)
    assert (place / "end").read_text() == "p1 done 1\n"
    assert '"false" ended with 1' in run_plan(place, "--on-finish=false", rc=1).err


# --- watching ---


def test_a_second_terminal_watches_a_plan_until_its_end(place):
    (place / "small.plan").write_text(
        "[r]\nstep=run\nrw=randread\nioengine=psync\nruntime=20s\ntime_based\n")
    (place / "f").write_bytes(b"x" * 1048576)
    environment = {"XDG_DATA_HOME": str(place / "data")}
    process = subprocess.Popen([ASSAY, "plan", "run", "./small.plan", "f"], cwd=place,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **environment})
    folder = place / "data/assay"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not list(folder.glob("plan-*.sock")):
        time.sleep(0.02)
    watchers = [subprocess.Popen([ASSAY, "watch"], cwd=place, stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, **environment}) for _ in range(2)]
    first = [watcher.stdout.readline() for watcher in watchers]
    process.send_signal(signal.SIGINT)
    process.wait()
    assert [watcher.wait() for watcher in watchers] == [0, 0]
    assert all(line.startswith("1/1 r") for line in first), first
    assert not list(folder.glob("plan-*"))
    assert "no plan is running" in go(place, "watch", rc=4).err
    assert "is not being carried out now" in go(place, "watch", "p1", rc=4).err
    assert "one plan (p4)" in go(place, "watch", "p1", "p2", rc=4).err


def test_more_watchers_than_a_table_holds_and_one_that_never_reads(place):
    """What is not read is lost to its reader, and holds up nobody."""
    (place / "small.plan").write_text(
        "[r]\nstep=run\nrw=randread\nioengine=psync\nruntime=20s\ntime_based\n")
    (place / "f").write_bytes(b"x" * 1048576)
    process = subprocess.Popen([ASSAY, "plan", "run", "./small.plan", "f"], cwd=place,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "XDG_DATA_HOME": str(place / "data")})
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not list((place / "data/assay").glob("plan-*.sock")):
        time.sleep(0.02)
    (name,) = (place / "data/assay").glob("plan-*.sock")
    with contextlib.ExitStack() as stack:
        folder = os.open(name.parent, os.O_PATH)  # a socket's path is short
        stack.callback(os.close, folder)
        watchers = []
        for _ in range(150):
            watcher = stack.enter_context(socket.socket(socket.AF_UNIX))
            watcher.settimeout(20)
            watcher.connect(f"/proc/self/fd/{folder}/{name.name}")
            watchers.append(watcher)
        lines = [watcher.recv(4096) for watcher in watchers[1:]]  # the first never reads
        process.send_signal(signal.SIGINT)
        process.wait()
    assert all(line.startswith(b"1/1 r") for line in lines), lines


# --- through the page cache ---


@pytest.mark.parametrize("says, warned", [("", True), ("direct=0\n", False), ("direct=1\n", False)])
def test_a_plan_that_forgot_direct_says_so_on_its_page(place, says, warned):
    (place / "small.plan").write_text(
        f"[r]\nstep=run\nrw=randread\nioengine=psync\nruntime=100ms\ntime_based\n{says}")
    (place / "f").write_bytes(b"x" * 1048576)
    page = " ".join(go(place, "plan", "run", "./small.plan", "f", "--no-report").out.split())
    assert ("without direct=1 reads may come from memory" in page) == warned, page


# --- the requests of worst intervals ---


def worst_logs(place: Path) -> list[Path]:
    return sorted((place / "data/assay").glob("plan-*-worst.alog"))


def test_each_cell_on_a_real_target_keeps_its_worst_requests(place):
    (place / "small.plan").write_text("[r]\nstep=sweep\nrw=randread\nioengine=psync\nruntime=50ms\n"
                                      "time_based\nsweep=bs=4k,8k\n")
    (place / "f").write_bytes(b"x" * 1048576)
    go(place, "plan", "run", "./small.plan", "f")
    logs = worst_logs(place)
    assert len(logs) == 2
    for number, log in enumerate(logs):
        info = go(place, "log", "info", log).out
        assert "block" in info and log.name.endswith(f"-{number}-worst.alog")
    assert logs[0].name in go(place, "results", "show", "r1").out.replace("\n  ", "")
    go(place, "plan", "run", "./small.plan", "f", "--keep-worst=0")
    assert worst_logs(place) == logs
    go(place, "results", "rm", "p1")
    assert not worst_logs(place)


def test_a_simulated_drive_keeps_none(place):
    run_plan(place, "--spec=./sheet")
    assert not list((place / "data/assay").glob("plan-*"))
