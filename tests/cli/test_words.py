"""What a person meets who is in the wrong place: a full stdout, no file descriptors, a folder that is
not his. The message names the cause and the remedy, and the exit code is the environment's.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import ASSAY, FIO_FACE, run
from rigs.loop import Loop

ENVIRONMENT = 6
FULL = Path("/dev/full")
NULL = ["run", "--name=j", "--ioengine=null", "--rw=read", "--size=1m"]
PRINTING = [
    ["--version"], ["--help"], ["help"], ["help", "bs"], ["help", "options"], ["help", "--man"],
    *([name, "--help"] for name in ("quick", "run", "compare", "gate", "history", "results",
                                    "targets", "sim", "log", "help")),
    ["targets"], ["targets", "--format=json"], ["sim", "list"], ["sim", "show", "sata-consumer"],
    ["sim", "waf", "--blocks=256", "--turns=8"], ["results", "list"], ["results", "show", "@last"],
    ["results", "export", "@last"], ["results", "sql", "select 1"], [*NULL, "--print"], NULL,
    [*NULL, "--format=json"], ["log", "info", "--unit=us", "{log}"], ["log", "bin", "--unit=us", "{log}"],
    ["log", "head", "--unit=us", "{log}"], ["log", "cut", "--unit=us", "{log}"], ["log", "merge", "--unit=us", "{log}"],
    ["log", "convert", "--format=fio", "--unit=us", "{log}"], ["log", "judge", "--unit=us", "{log}"],
    ["compare", "@last", "@last"], ["gate", "@last", "@last"], ["history", "{target}"],
]  # fmt: skip


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that every command takes; and a run is kept, for those that show one."""
    path = tmp_path_factory.mktemp("words") / "x_clat.1.log"
    path.write_text("".join(f"{i}, {900_000 + i}, 0, 4096\n" for i in range(1, 2000)))
    run([*NULL, f"--filename={path.parent}/own", "--ioengine=psync", "--size=1m"]).check()
    return path


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_full_stdout_is_an_error_of_the_environment(words: list[str], log: Path) -> None:
    args = [word.format(log=log, target=log.parent / "own") for word in words]
    with FULL.open("w") as full:
        result = run(args, output={"stdout": full.fileno()})
    result.check(ENVIRONMENT)
    assert "no space left" in result.err.lower()


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize("word", ["--version", "--help", "--cmdhelp=bs", "--enghelp"])
def test_the_fio_face_fails_at_a_full_stdout(word: str) -> None:
    with FULL.open("w") as full:
        result = run([word], program=FIO_FACE, output={"stdout": full.fileno()})
    result.check(1)
    assert "no space left" in result.err


def few_files(count: int) -> Callable[..., list[str]]:
    return lambda argv: ["sh", "-c", f'ulimit -n {count}; exec "$@"', "sh", *map(str, argv)]


@pytest.mark.parametrize("args", [["targets"], NULL, ["quick", "--size=16m"], ["sim", "list"]])
def test_a_low_limit_of_open_files_is_named_with_its_remedy(args: list[str]) -> None:
    result = run(args, under=[few_files(4)]).check(ENVIRONMENT)
    assert "ulimit -n allows 4 open files" in result.err
    assert "ulimit -n 1024" in result.err
    assert not result.out


def test_a_limit_met_later_names_the_limit_too(scratch: Any) -> None:
    args = ["run", "--name=j", "--rw=read", "--ioengine=psync", "--size=64k", "--numjobs=64",
            f"--filename={scratch.path}/f"]  # fmt: skip
    result = run(args, under=[few_files(24)]).check(ENVIRONMENT)
    assert "raise ulimit -n" in result.err
    fio = run(args[1:], program=FIO_FACE, under=[few_files(8)]).check(1)
    assert "ulimit -n allows 8 open files" in fio.err


def test_the_soft_limit_is_no_limit(scratch: Any) -> None:
    """What the administrator allows is the hard one: the soft one is raised to it."""
    args = ["run", "--name=j", "--rw=read", "--ioengine=psync", "--size=64k", "--numjobs=64",
            f"--filename={scratch.path}/f"]  # fmt: skip
    run(args, under=[lambda argv: ["sh", "-c", 'ulimit -S -n 16; exec "$@"', "sh", *map(str, argv)]]).check()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
@pytest.mark.skipif(not shutil.which("setpriv"), reason="no setpriv")
def test_a_folder_of_somebody_else_is_named_with_the_remedy() -> None:
    """Nobody may enter the build folder everywhere: the program is copied to where he may."""
    room = Path(tempfile.mkdtemp(prefix="assay-words-", dir="/var/tmp"))
    try:
        room.chmod(0o755)
        shutil.copy(ASSAY, room / "assay")
        nobody = lambda argv: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               *map(str, argv)]  # fmt: skip
        how = {"program": room / "assay", "under": [nobody], "cwd": room}
        result = run(["quick", "--no-store", "--size=16m"], **how).check(ENVIRONMENT)
        assert "permission denied" in result.err
        assert "name a folder" in result.err and "or cd" in result.err
        job = ["run", "--no-store", "--name=j", "--rw=write", "--size=1m", "--ioengine=psync"]
        result = run(job, **how).check(ENVIRONMENT)
        assert "directory=" in result.err
        assert sorted(os.listdir(room)) == ["assay"]
    finally:
        shutil.rmtree(room)


def test_small_devices_have_a_size(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 << 20)
    lines = run(["targets"]).check().out.splitlines()
    row = next(line for line in lines if line.startswith(loop.dev))
    assert "16.8 MB" in row
    assert not any(" 0.0 GB" in line for line in lines)


def test_the_cache_note_names_the_loop_and_what_it_lies_on(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=16 << 20)
    args = ["run", "--name=j", "--format=json", f"--filename={loop.dev}", "--rw=write", "--bs=64k",
            "--ioengine=psync", "--direct=1", "--io_size=1m"]  # fmt: skip
    answer = run(args).check().json()
    texts = [note["text"] for note in answer["notes"] if note["id"] == "within-cache"]
    if not texts:
        pytest.skip("the loop's backing file lies in memory")
    assert loop.dev in texts[0]
    assert "backing file" in texts[0]


def test_no_machine_is_under_an_unnamed_hypervisor() -> None:
    assert "unnamed" not in run(NULL).check().out


ASKING = [
    ["quick", "x"], ["log", "bin"], ["log", "judge", "x"], ["plan", "run", "cdm", "x"],
    ["results", "show", "r1"], ["sim", "waf", "--op=20%"], ["compare", "a", "b"], ["gate", "a"],
    ["history", "x"], ["report", "x"], ["watch", "p1"],
]  # fmt: skip


@pytest.mark.parametrize("words", ASKING, ids=" ".join)
def test_help_is_given_wherever_it_is_asked_for(words: list[str]) -> None:
    result = run([*words, "--help"]).check()
    assert result.out.startswith(f"usage: assay {words[0]}")


def test_help_after_two_dashes_is_a_name() -> None:
    assert "usage" not in run(["results", "show", "--", "--help"]).check(4).out
