"""Logs that runs write: in fio's text the same files, columns and totals as Debian's fio for the
same job, in our blocks what `assay log` reads back; complete however a run ends.
"""

import csv
import io
import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rigs import oracle
from rigs.assay import FIO_FACE, Running, run
from rigs.loop import TruncatedLoop

JOB = ["--name=j", "--size=2m", "--rw=randrw", "--bs=4k", "--ioengine=psync", "--randseed=3",
       "--filename=f"]  # fmt: skip
LOGS = [f"--write_{kind}_log=j" for kind in ("lat", "bw", "iops")]
KINDS = ("lat", "clat", "slat", "bw", "iops")

IO_FAILED = 3

VARIANTS: dict[str, list[str]] = {
    "plain": [],
    "offset": ["--log_offset=1"],
    "priorities": ["--log_prio=1", "--prioclass=2", "--prio=5"],
    "offset and priority": ["--log_offset=1", "--log_prio=1"],
    "two jobs": ["--numjobs=2"],
    "one file": ["--numjobs=2", "--per_job_logs=0"],
    "asynchronous": ["--ioengine=libaio", "--iodepth=8"],
    "processes": ["--numjobs=2", "--thread=0"],
    "epoch": ["--log_unix_epoch=1"],
    "no clat": ["--disable_clat=1"],
}


def table(path: Path) -> list[list[str]]:
    return [line.split(", ") for line in path.read_text().splitlines()]


def both(folder: Path, *words: str) -> tuple[Path, Path, Any, Any]:
    """Folders and answers: ours, and Debian's fio's."""
    folders, answers = [], []
    for program in (FIO_FACE, oracle.ORACLE):
        place = folder / program.parent.name
        place.mkdir()
        result = oracle.fio([*JOB, *words], program=program, cwd=place).check()
        folders.append(place)
        answers.append(oracle.jobs_json(result)["jobs"])
    return folders[0], folders[1], answers[0], answers[1]


def logs_of(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*log"))


@pytest.mark.parametrize("variant", VARIANTS)
def test_files_columns_and_totals_are_those_of_fio(tmp_path: Path, variant: str) -> None:
    ours, theirs, _, _ = both(tmp_path, *LOGS, *VARIANTS[variant])
    assert logs_of(ours) == logs_of(theirs) != []
    for name in logs_of(ours):
        a, b = table(ours / name), table(theirs / name)
        assert len(a) == len(b), name
        assert Counter(map(len, a)) == Counter(map(len, b)), name
        totals = [Counter((row[2], row[3], row[-1]) for row in rows) for rows in (a, b)]
        assert {key[1:] for key in totals[0]} == {key[1:] for key in totals[1]}, name
        assert sum(totals[0].values()) == sum(totals[1].values()), name
        if variant.startswith("offset"):
            assert {row[4] for row in a} == {row[4] for row in b}, name
        if variant == "epoch" and a:
            assert abs(int(a[0][0]) - int(b[0][0])) < 60_000
            assert abs(int(a[-1][0]) / 1000 - time.time()) < 60


@pytest.mark.parametrize("value", ["avg", "max"])
def test_windows_are_those_of_fio(tmp_path: Path, value: str) -> None:
    words = ["--rate_iops=400,200", "--time_based", "--runtime=2", "--log_avg_msec=500"]
    words.append(f"--log_max_value={int(value == 'max')}")
    ours, theirs, answer, _ = both(tmp_path, *LOGS, *words)
    assert logs_of(ours) == logs_of(theirs)
    for kind in ("lat", "clat", "bw", "iops"):
        a, b = table(ours / f"j_{kind}.1.log"), table(theirs / f"j_{kind}.1.log")
        assert {len(row) for row in a} == {len(row) for row in b} == {5}
        assert {tuple(row[2:]) for row in a} == {tuple(row[2:]) for row in b}
        assert len(a) >= len(b) > 0  # fio leaves the last rate out
    for direction, name in enumerate(("read", "write")):
        iops = [row for row in table(ours / "j_iops.1.log") if int(row[2]) == direction]
        ends = [0, *(int(row[0]) for row in iops)]
        spans = [end - begin for begin, end in zip(ends, ends[1:], strict=False)]
        total = sum(int(row[1]) * span / 1000 for row, span in zip(iops, spans, strict=True))
        assert total == pytest.approx(answer[0][name]["total_ios"], abs=len(iops))
        assert ends[1:5] == [500, 1000, 1500, 2000]
        lat = [int(row[1]) for row in table(ours / "j_lat.1.log") if int(row[2]) == direction]
        assert max(lat) <= answer[0][name]["lat_ns"]["max"]
        if value == "max":
            assert max(lat) == answer[0][name]["lat_ns"]["max"]


def test_both_is_a_column_more(tmp_path: Path, fio_face: Path) -> None:
    words = [*JOB, *LOGS, "--log_avg_msec=1000", "--log_window_value=both", "--log_issue_time=1"]
    answer = oracle.fio(words, program=fio_face, cwd=tmp_path).check().json()
    for row in table(tmp_path / "j_lat.1.log"):
        assert len(row) == 7
        name = ("read", "write")[int(row[3])]
        lat = answer["jobs"][0][name]["lat_ns"]
        assert int(row[2]) == lat["max"] >= int(row[1])
        assert int(row[1]) == pytest.approx(lat["mean"], abs=1)


def test_the_time_of_issue_lies_before_the_end(tmp_path: Path, fio_face: Path) -> None:
    oracle.fio([*JOB, *LOGS, "--log_issue_time=1"], program=fio_face, cwd=tmp_path).check()
    clat = table(tmp_path / "j_clat.1.log")
    assert len(clat) == 512
    for row in clat:
        assert len(row) == 6
        end_ns = int(row[5]) + int(row[1])
        assert int(row[0]) == end_ns // 1_000_000
    assert {row[5] for row in table(tmp_path / "j_lat.1.log")} == {"0"}


@pytest.mark.parametrize("coarseness", [0, 3, 6])
def test_histograms_hold_all_requests(tmp_path: Path, coarseness: int) -> None:
    words = ["--write_hist_log=j", "--log_hist_msec=500", f"--log_hist_coarseness={coarseness}"]
    words += ["--rate_iops=400,200", "--time_based", "--runtime=1"]
    ours, theirs, answer, _ = both(tmp_path, *words)
    assert logs_of(ours) == logs_of(theirs) == ["j_clat_hist.1.log"]
    a, b = table(ours / "j_clat_hist.1.log"), table(theirs / "j_clat_hist.1.log")
    assert {len(row) for row in a} == {len(row) for row in b} == {3 + (1856 >> coarseness)}
    assert {tuple(row[1:3]) for row in a} == {tuple(row[1:3]) for row in b}
    for direction, name in enumerate(("read", "write")):
        counts = [map(int, row[3:]) for row in a if int(row[1]) == direction]
        assert sum(map(sum, counts)) == answer[0][name]["total_ios"]


def native(folder: Path, *words: str | Path, rc: int = 0) -> Any:
    args = ["run", "--no-store", "--format=json", *JOB, *words]
    return run(args, cwd=folder).check(rc).json()


def info(path: Path, rc: int = 0) -> Any:
    return run(["log", "info", "--format=json", path]).check(rc).json()[0]


def bins(path: Path, *words: str) -> list[dict[str, str]]:
    text = run(["log", "bin", "--by=direction", *words, path]).check().out
    return list(csv.DictReader(io.StringIO(text)))


def note_ids(answer: Any) -> list[str]:
    return [note["id"] for note in answer["notes"]]


def test_blocks_agree_with_the_result(tmp_path: Path) -> None:
    words = ["--write_hist_log", "--log_hist_msec=1s", "--ioengine=libaio", "--iodepth=8"]
    answer = native(tmp_path, *LOGS, *words)
    assert note_ids(answer).count("log-lost") == 0
    group = answer["groups"][0]
    kinds = (*KINDS, "clat_hist")
    assert logs_of(tmp_path) == sorted(f"j_{kind}.1.alog" for kind in kinds)
    for kind in kinds:
        found = info(tmp_path / f"j_{kind}.1.alog")
        assert found["kind"] == kind.replace("clat_", "")
        for direction in ("read", "write"):
            assert found[direction]["total_ios"] == group[direction]["ios"]
            assert found[direction]["io_bytes"] == group[direction]["bytes"]
    against = {log["kind"]: log["totals"] for log in answer["logs"]}
    assert against == dict.fromkeys(KINDS, "agrees") | {"hist": "unchecked"}
    assert {str(tmp_path / f"j_{kind}.1.alog") for kind in kinds} == {log["path"] for log in answer["logs"]}
    for row in bins(tmp_path / "j_lat.1.alog", "--interval=1h"):
        assert int(row["count"]) == group[row["direction"]]["ios"]


def test_a_sample_takes_some_five_bytes(tmp_path: Path) -> None:
    answer = native(tmp_path, "--write_lat_log", "--size=64m", "--ioengine=null", "--rw=read")
    count = answer["groups"][0]["read"]["ios"]
    assert (tmp_path / "j_lat.1.alog").stat().st_size <= 600 + 5 * count


def test_the_ramp_is_in_no_log(tmp_path: Path) -> None:
    words = ["--time_based", "--runtime=1s", "--ramp_time=500ms", "--rate_iops=200,100"]
    answer = native(tmp_path, "--write_iops_log", *words)
    found = info(tmp_path / "j_iops.1.alog")
    assert found["read"]["total_ios"] == answer["groups"][0]["read"]["ios"]


@pytest.mark.parametrize("form", ["binary", "fio"])
def test_logs_are_complete_after_a_signal(tmp_path: Path, form: str) -> None:
    words = ["--time_based", "--runtime=30s", "--rate_iops=2000,1000", f"--log_format={form}"]
    args = ["run", "--no-store", "--format=json", *JOB, *LOGS, *words]
    with Running(args, cwd=tmp_path) as running:
        time.sleep(1.5)
        running.signal(signal.SIGINT)
        result = running.finish(20).check(128 + signal.SIGINT)
    group = result.json()["groups"][0]
    for kind in ("lat", "bw", "iops"):
        path = tmp_path / f"j_{kind}.1.{'alog' if form == 'binary' else 'log'}"
        found = run(["log", "info", "--format=json", "--windowed=no", path]).check().json()[0]
        for direction in ("read", "write"):
            assert found[direction]["total_ios"] == group[direction]["ios"] > 0
            assert found[direction]["io_bytes"] == group[direction]["bytes"]


def test_logs_are_complete_after_a_latency_beyond_the_limit(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(1 << 20))
    words = ["--rw=read", "--size=1m", "--max_latency=1ns"]
    answer = native(tmp_path, "--write_lat_log", *words, rc=IO_FAILED)
    found = info(tmp_path / "j_lat.1.alog")
    assert found["read"]["total_ios"] == answer["groups"][0]["read"]["ios"] > 0


@pytest.mark.parametrize("engine", ["psync", "io_uring", "libaio"])
def test_logs_are_complete_after_an_io_error(tmp_path: Path, rig: Any, engine: str) -> None:
    loop = rig(TruncatedLoop, size=4 << 20, keep=1 << 20)
    args = ["run", "--no-store", "--format=json", "--name=j", f"--filename={loop.dev}", *LOGS,
            "--direct=1", "--rw=read", "--bs=64k", f"--ioengine={engine}"]  # fmt: skip
    answer = run(args, cwd=tmp_path).check(IO_FAILED).json()
    for kind in ("lat", "bw", "iops"):
        found = info(tmp_path / f"j_{kind}.1.alog")["read"]
        assert found["total_ios"] == answer["groups"][0]["read"]["ios"] == 16
        assert "differs" not in {log["totals"] for log in answer["logs"]}
        assert found["io_bytes"] == 1 << 20


def test_at_full_speed_what_is_missing_is_counted(tmp_path: Path) -> None:
    words = ["--ioengine=null", "--iodepth=32", "--rw=read", "--time_based", "--runtime=1s"]
    answer = native(tmp_path, *LOGS, *words)
    lost = sum(int(note["text"].split()[0]) for note in answer["notes"] if note["id"] == "log-lost")
    found = info(tmp_path / "j_lat.1.alog")["read"]["total_ios"]
    assert found + lost == answer["groups"][0]["read"]["ios"] > 100_000
    log = next(log for log in answer["logs"] if log["kind"] == "lat")
    assert (log["ios"], log["run_ios"]) == (found, found + lost)
    assert log["totals"] == ("differs" if lost else "agrees")


def test_simulated_runs_write_the_same_logs_each_time(tmp_path: Path) -> None:
    args = ["run", "--no-store", "--format=json", "--name=j", "--write_lat_log", "--runtime=1s",
            "--filename=sim:nvme-enterprise,size=1g", "--rw=randrw", "--bs=4k", "--iodepth=8",
            "--time_based=1", "--log_offset=1"]  # fmt: skip
    logs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        group = run(args, cwd=tmp_path / name).check().json()["groups"][0]
        path = tmp_path / name / "j_lat.1.alog"
        for direction in ("read", "write"):
            assert info(path)[direction]["total_ios"] == group[direction]["ios"] > 0
        logs.append(path.read_bytes())
    assert logs[0] == logs[1]


def test_what_cannot_be_written_is_said_before_the_start(tmp_path: Path) -> None:
    args = ["run", "--no-store", *JOB]
    result = run([*args, "--write_bw_log=nowhere/j"], cwd=tmp_path).check(6)
    assert "nowhere/j_bw.1.alog" in result.err
    os.mkfifo(tmp_path / "j_bw.1.alog")
    assert run([*args, "--write_bw_log"], cwd=tmp_path).rc != 0
    (tmp_path / "t_bw.1.alog").write_bytes(bytes(1 << 20))
    words = ["--name=j", "--filename=t_bw.1.alog", "--rw=read", "--bs=4k", "--write_bw_log=t"]
    result = run(["run", "--no-store", *words], cwd=tmp_path)
    assert result.rc != 0 and "the job uses this file" in result.err
    assert (tmp_path / "t_bw.1.alog").stat().st_size == 1 << 20
    result = run([*args, "--write_hist_log"], cwd=tmp_path)
    assert result.rc != 0 and "log_hist_msec=1s" in result.err


def test_a_full_disk_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    """Through a limit on the size of files, which SIGXFSZ ignored makes an error."""
    words = ["--ioengine=null", "--rw=read", "--size=256m", "--write_lat_log"]
    script = 'trap "" XFSZ; ulimit -f 32; exec "$0" "$@"'
    under = [lambda argv: ["bash", "-c", script, *argv]]
    args = ["run", "--no-store", "--format=json", *JOB, *words]
    answer = run(args, cwd=tmp_path, under=under).check(6).json()
    assert "log-broken" in note_ids(answer)
    assert "differs" in {log["totals"] for log in answer["logs"]}
    assert answer["groups"][0]["read"]["ios"] == 65536
