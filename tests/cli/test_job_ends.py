"""What ends jobs besides their own work, and in which group each stands: as Debian's fio does it, told
without a clock.
"""

import signal
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import FIO_FACE, Result, Running, run
from rigs.held import wait_until

NULL = ["--ioengine=null", "--bs=4k", "--size=1t", "--time_based"]
SHORT, LONG = "--runtime=100ms", "--runtime=60"  # what ends in time was ended by another


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Both must be built."""


def face(*words: str) -> Result:
    return run(["--output-format=json", *words], program=FIO_FACE)


def jobs(result: Result) -> dict[str, Any]:
    return {job["jobname"]: job for job in result.json()["jobs"]}


def test_groups_by_new_group_and_stonewall() -> None:
    words = ["--ioengine=null", "--size=1m", "--group_reporting", "--name=a", "--name=b", "--name=c",
             "--new_group", "--name=d", "--name=e", "--stonewall"]  # fmt: skip
    found = face(*words).check().json()["jobs"]
    assert [(job["jobname"], job["groupid"]) for job in found] == [("a", 0), ("c", 1), ("e", 2)]
    assert [job["read"]["total_ios"] for job in found] == [512, 512, 256]


def test_exitall_ends_the_others_of_the_group() -> None:
    found = jobs(face(*NULL, "--name=a", SHORT, "--exitall", "--name=b", LONG, "--name=c", SHORT,
                      "--stonewall").check())  # fmt: skip
    assert 0 < found["b"]["read"]["runtime"] < 30_000
    assert found["c"]["read"]["total_ios"] > 0


@pytest.mark.parametrize("what, reached", [("group", True), ("stonewall", True), ("all", False)])
def test_exit_what(what: str, reached: bool) -> None:
    """`b` shares the group; `d` has one of its own before the wall, `c` stands behind it."""
    d = ["--name=d", "--new_group", SHORT if what == "group" else LONG]
    found = jobs(face(*NULL, "--name=a", SHORT, "--exitall", f"--exit_what={what}", "--name=b", LONG,
                      *d, "--name=c", SHORT, "--stonewall").check())  # fmt: skip
    assert 0 < found["b"]["read"]["runtime"] < 30_000
    assert found["d"]["read"]["runtime"] < 30_000
    assert (found["c"]["read"]["total_ios"] > 0) == reached


def test_exitall_on_error() -> None:
    result = face("--exitall_on_error", "--bs=4k", "--name=a", "--ioengine=psync", "--rw=write",
                  "--filename=/dev/full", "--size=4k", "--name=b", *NULL, LONG).check(1)  # fmt: skip
    found = jobs(result)
    assert found["a"]["error"] == 28
    assert found["b"]["read"]["runtime"] < 30_000


@pytest.mark.parametrize("limit", ["--rate_min=4000k", "--rate_iops_min=1000"])
def test_a_rate_that_is_not_met_fails_the_job(limit: str) -> None:
    """Two requests and 100 ms of thought: some 20 a second."""
    words = [*NULL, "--name=j", LONG, "--rate_iops=1100", "--thinktime=100000", "--thinktime_blocks=2"]
    if "iops" not in limit:
        words[words.index("--rate_iops=1100")] = "--rate=4400k"
    result = face(*words, limit, "--rate_cycle=200").check(1)
    assert jobs(result)["j"]["error"] == 5
    native = ["run", "--format=json", "--no-store", *NULL, "--name=j", LONG, "--rate_iops=1100",
              "--thinktime=100ms", "--thinktime_blocks=2", "--rate_iops_min=1000",
              "--rate_cycle=200ms"]  # fmt: skip
    answer = run(native).check(3).json()
    assert "job-failed" in [note["id"] for note in answer["notes"]]


def test_a_rate_that_is_met_fails_nothing() -> None:
    words = ["--ioengine=null", "--size=1t", "--time_based", "--name=j", "--runtime=4", "--rate_iops=1000"]
    result = face(*words, "--rate_iops_min=900", "--rate_cycle=500").check()
    assert jobs(result)["j"]["error"] == 0


def test_unlink_each_loop(scratch: Any) -> None:
    path = scratch.path / "f"
    words = ["--name=j", f"--filename={path}", "--rw=write", "--size=64k", "--bs=4k", "--loops=3"]
    result = face(*words, "--unlink_each_loop=1").check()
    assert jobs(result)["j"]["write"]["total_ios"] == 48


def test_warnings_may_be_fatal() -> None:
    words = ["--name=j", "--ioengine=null", "--size=1m", "--bs=4.5k"]
    face(*words, "--number_ios=1").check()
    result = face("--warnings-fatal", *words).check(1)
    assert "4.5k" in result.err and not result.out


def test_parse_only_does_nothing(scratch: Any) -> None:
    path = scratch.path / "f"
    words = ["--name=j", f"--filename={path}", "--rw=write", "--size=64k", "--parse-only"]
    assert run(words, program=FIO_FACE).check().out == ""
    assert not path.exists()


def test_terse_lines_may_follow_the_text() -> None:
    result = run(["--name=j", "--ioengine=null", "--size=1m", "--append-terse"], program=FIO_FACE).check()
    terse = [line for line in result.out.splitlines() if line.startswith("3;fio-")]
    assert len(terse) == 1 and len(terse[0].split(";")) == 121


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_run_exits_as_fio_does(number: int, tmp_path: Path) -> None:
    codes = []  # fio does not catch SIGHUP: a shell says 129 of it, and its jobs go on
    oracle = [Path("/usr/bin/fio")] if number != signal.SIGHUP else []
    for program in (FIO_FACE, *oracle):
        file = tmp_path / program.parent.name
        words = ["--name=a", f"--filename={file}", "--rw=write", "--size=1m", "--ioengine=psync",
                 "--fallocate=none", "--time_based", LONG]  # fmt: skip
        with Running(words, program=program, cwd=tmp_path) as running:
            assert wait_until(lambda at=file: at.exists() and at.stat().st_size > 0, 10)
            running.signal(number)
            codes.append(running.finish(20).rc)
    assert set(codes) == {129 if number == signal.SIGHUP else 128}
