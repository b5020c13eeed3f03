"""Wrong input, to both faces: the exit code, one clear message on stderr, nothing left behind."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import ASSAY, FIO_FACE, Result, run
from rigs.filesystem import FullFileSystem, ReadOnlyFileSystem
from rigs.loop import Loop
from rigs.scratch import Scratch

MIB = 1 << 20
USAGE, REFUSED, ENVIRONMENT = 4, 5, 6


@dataclass(frozen=True)
class Wrong:
    """What is given, what the message must name, and how each face ends; 0: it takes it."""

    args: str
    says: tuple[str, ...]
    native: int = USAGE
    fio: int = 1
    job: str = ""


OK = "--name=j --rw=read --ioengine=null --size=1m"
WRONG = {
    "typo in an option": Wrong("--name=j --rw=read --iodpeth=4 --size=1m", ("iodpeth", "iodepth")),
    "typo in a value": Wrong("--name=j --rw=raed --size=1m", ("rw", "raed", "read")),
    "value missing": Wrong("--name=j --rw=read --size=", ("size",)),
    "value missing at the end": Wrong("--name=j --rw=read --size", ("size",)),
    "bad unit": Wrong(OK + " --bs=512furlongs", ("bs", "furlongs"), fio=0),
    "negative size": Wrong("--name=j --rw=read --size=1m --bs=-4k", ("bs", "-4k")),
    "negative number": Wrong("--name=j --rw=read --size=1m --iodepth=-1", ("iodepth", "-1", "at least 1")),
    "zero": Wrong("--name=j --rw=read --size=1m --numjobs=0", ("numjobs",)),
    "missing job file": Wrong("{dir}/none.fio", ("none.fio",)),
    "directory as a job file": Wrong("{dir}", ("{dir}",)),
    "directory as a file": Wrong("--name=j --rw=read --filename={dir} --size=1m", ("{dir}",)),
    "unknown engine": Wrong("--name=j --rw=read --ioengine=io_urgin --size=1m", ("io_urgin",)),
    "bs above size": Wrong("--name=j --rw=read --bs=1m --size=64k --filename={file}", ("bs",)),
    "section not closed": Wrong("{job}", ("case.fio:2", "]"), job="\n[one\nrw=read\n"),
    "option before a section": Wrong("{job}", ("case.fio:1", "rw"), job="rw=read\n[one]\n"),
    "typo in a job file": Wrong(
        "{job}", ("case.fio:3", "blocksiez"), job="[one]\nrw=read\nblocksiez=4k\n"
    ),
    "variable not set": Wrong("{job}", ("case.fio:2", "NOT_SET_HERE"), job="[one]\nsize=${NOT_SET_HERE}\n"),
    "include of nothing": Wrong("{job}", ("more.inc",), job="[one]\ninclude more.inc\nsize=1m\n"),
    "size missing": Wrong("--name=j --rw=write --directory={dir}", ("size",)),
    "no job at all": Wrong("", ("",)),
    "300 % of the size": Wrong(
        "--name=j --rw=read --filename={file} --size=300%", ("size", "300%"), fio=0
    ),
    "300 % of the work": Wrong(
        "--name=j --rw=read --filename={file} --io_size=300%", ("io_size", "300%")
    ),
    "runtime of 2sec": Wrong(OK + " --runtime=2sec", ("runtime", "2sec"), fio=0),
    "fraction of a byte": Wrong(OK + " --bs=4.3k --number_ios=1", ("bs", "4.3k"), fio=0),
    "bare thinktime": Wrong(OK + " --thinktime=10", ("thinktime", "10us"), fio=0),
    "KB or kB": Wrong(OK + " --bs=4KB", ("bs", "4KB"), fio=0),
    "true": Wrong(OK + " --direct=true", ("direct", "true")),
    "mix above 100": Wrong(OK + " --rwmixread=101", ("rwmixread", "101")),
    "rate and rate_iops": Wrong(OK + " --rate=1m --rate_iops=10", ("rate",)),
    "wait_for of nobody": Wrong(OK + " --wait_for=nobody", ("wait_for", "nobody")),
    "verify is not built in": Wrong(OK + " --verify=md5", ("verify",)),
    "nowait is not built in": Wrong(OK + " --ioengine=io_uring --nowait=1", ("nowait",)),
    "uncached is not built in": Wrong(
        OK + " --ioengine=io_uring --uncached=1", ("uncached", "direct=1")
    ),
    "zonemode=zbd": Wrong(OK + " --zonemode=zbd", ("zonemode",)),
    "section that is not there": Wrong(
        "--section=none {job}", ("none",), job="[one]\nioengine=null\nsize=1m\n"
    ),
}  # fmt: skip


def fill_in(text: str, room: Path) -> str:
    words = {"{dir}": room / "work", "{job}": room / "case.fio", "{file}": room / "file"}
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def ask(face: str, args: list[Any], **how: Any) -> Result:
    if face == "native":
        return run(["run", *args], program=ASSAY, **how)
    return run(args, program=FIO_FACE, **how)


def one_message(result: Result, *says: str) -> None:
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, result
    for word in says:
        assert word in lines[0], result
    assert lines[0].startswith(("assay: ", "fio: ")), result


@pytest.fixture(autouse=True)
def _programs(assay: Path, fio_face: Path) -> None:
    """Both must be built."""


@pytest.mark.parametrize("face", ["native", "fio"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_input(name: str, face: str, scratch: Scratch) -> None:
    case = WRONG[name]
    room = scratch.path
    (room / "work").mkdir()
    (room / "file").write_bytes(b"\xa5" * 65536)
    (room / "case.fio").write_text(case.job, encoding="ascii")
    before = sorted(room.rglob("*"))
    args = fill_in(case.args, room).split()
    result = ask(face, args, cwd=room / "work")
    code = case.native if face == "native" else case.fio
    if code == 0:
        # fio takes it, and so do we; what was understood is said in the notes.
        result.check()
        assert result.err == ""
        assert "assay: " in result.out
        return
    result.check(code)
    one_message(result, *[fill_in(word, room) for word in case.says])
    assert sorted(room.rglob("*")) == before
    assert (room / "file").read_bytes() == b"\xa5" * 65536


@pytest.fixture(params=["native", "fio"])
def face(request: Any) -> str:
    return request.param


def code(face: str, native: int) -> int:
    return native if face == "native" else 1


def test_file_that_may_only_be_read(face: str, rig: Callable[..., Any]) -> None:
    fs = rig(ReadOnlyFileSystem)
    held = fs.data.read_bytes()
    words = ["--name=j", "--rw=write", f"--filename={fs.data}", "--size=64k"]
    words += ["--destroy=data"] if face == "native" else []
    result = ask(face, words)
    assert result.rc == code(face, ENVIRONMENT), result
    one_message(result, "data", "read-only")
    assert fs.data.read_bytes() == held


def test_device_that_may_only_be_read(face: str, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=MIB, read_only=True)
    result = ask(face, ["--name=j", "--rw=write", f"--filename={loop.dev}", "--bs=4k"])
    assert result.rc in ((REFUSED, ENVIRONMENT) if face == "native" else (1,)), result
    one_message(result, loop.dev)


def test_more_than_the_file_system_holds(face: str, rig: Callable[..., Any]) -> None:
    fs = rig(FullFileSystem, leave=1 << 20)
    before = sorted(fs.path.iterdir())
    words = ["--name=j", "--rw=read", f"--directory={fs.path}", "--size=8m"]
    result = ask(face, words)
    assert result.rc == code(face, ENVIRONMENT), result
    one_message(result, "8388608 more bytes" if face == "native" else "space")
    assert sorted(fs.path.iterdir()) == before


def test_more_than_the_device_holds(face: str, rig: Callable[..., Any]) -> None:
    """fio's face stops at the device's end, as fio does."""
    loop = rig(Loop, size=MIB)
    words = ["--name=j", "--rw=read", f"--filename={loop.dev}", "--size=2m"]
    if face == "native":
        one_message(ask(face, words).check(USAGE), loop.dev, "size")
    else:
        answer = ask(face, [*words, "--output-format=json"]).check().json()
        assert answer["jobs"][0]["read"]["io_bytes"] == MIB


def test_direct_requests_that_are_not_aligned(face: str, scratch: Scratch) -> None:
    file = scratch.file("data", 65536, b"\xa5" * 65536)
    words = ["--name=j", "--rw=read", "--direct=1", "--bs=700", f"--filename={file}"]
    result = ask(face, [*words, "--size=64k"])
    assert result.rc in ((USAGE, 3) if face == "native" else (1,)), result
    assert "700" in result.err or "nvalid argument" in result.err + result.out
    assert file.read_bytes() == b"\xa5" * 65536


def test_missing_directory(face: str, scratch: Scratch) -> None:
    words = ["--name=j", "--rw=write", "--size=64k", f"--directory={scratch.path}/none"]
    result = ask(face, words)
    assert result.rc in ((USAGE, ENVIRONMENT) if face == "native" else (1,)), result
    one_message(result, "none")
    assert list(scratch.path.iterdir()) == []


def test_file_without_permission(face: str, scratch: Scratch, need: Any) -> None:
    words = ["--name=j", "--rw=write", "--size=64k", "--filename=/proc/version"]
    result = ask(face, words)
    assert result.rc in ((REFUSED, ENVIRONMENT, USAGE) if face == "native" else (1,)), result
    one_message(result, "/proc/version")


def test_a_read_beyond_a_files_end_is_no_question_of_consent(scratch: Any, assay: Path) -> None:
    data = os.urandom(8192)
    file = scratch.file("data", 8192, data)
    job = ["run", "--no-store", "--name=j", f"--filename={file}", "--rw=read", "--size=4096"]
    for words in ([], ["--readonly"]):
        result = run([*job, *words, "--offset=6144"], program=assay)
        assert result.rc == 4, result.err
        assert "ends at byte 8192, and the job reads up to byte 10240" in result.err
        assert "destroy" not in result.err
    assert file.read_bytes() == data
    run([*job, "--offset=4096"], program=assay).check(0)


def test_unknown_command_gets_a_suggestion() -> None:
    one_message(run(["qiuck"]).check(USAGE), "qiuck", "quick")


def test_unknown_option_of_quick() -> None:
    one_message(run(["quick", "--tiem=1"]).check(USAGE), "tiem")


def test_a_link_to_nothing_is_named_as_such(scratch: Any, assay: Path) -> None:
    link = scratch.path / "link"
    link.symlink_to("nowhere")
    answer = run(["run", "--name=j", f"--filename={link}", "--size=4k", "--rw=write"]).check(4)
    assert "symbolic link" in answer.err
    assert not (scratch.path / "nowhere").exists()


def test_buffers_beyond_memory_are_refused_before_the_start(assay: Path, scratch: Any) -> None:
    answer = run(["run", "--bs=1g", "--iodepth=65536", "--ioengine=libaio", "--rw=read",
                  "--size=1g", f"--filename={scratch.path / 'f'}"]).check(6)
    assert "iodepth" in answer.err
    assert not (scratch.path / "f").exists()


def test_a_name_cannot_move_the_terminal(assay: Path) -> None:
    for form in ("text", "markdown"):
        answer = run(["run", "--name=a\x1b[31mb", "--ioengine=null", "--size=1m", "--rw=read",
                      f"--format={form}"]).check(0)
        assert "\x1b" not in answer.out


HOSTILE = b"\x1b[31mhi\x07\x9b2J \xe2\x80\xaetxt\x7f[x]\nfoo=\x1b]0;title\x07\n"


def test_text_of_files_cannot_move_the_terminal(assay: Path, tmp_path: Path) -> None:
    """What an error quotes of a file, and a file's own name, in every command that reads one."""
    file = tmp_path / "a\x1b[2Jb\u202ec.job"
    file.write_bytes(HOSTILE)
    for words in (
        ["run", file], ["fio", file], ["plan", "check", file], ["plan", "run", file, "x"],
        ["log", "info", file], ["log", "judge", f"--policy={file}", file], ["sim", "show", file],
        ["report", file, "-o", tmp_path / "x.html"], ["compare", file, file],
        ["results", "import", file, f"--store={tmp_path / 'q.db'}"],
        ["quick", file, f"--spec={file}"], ["run", "--name=x", f"--filename={file}/y", "--size=1m"],
    ):  # fmt: skip
        result = run(words, program=assay)
        assert result.rc, words
        for sign in ("\x1b", "\x07", "\x7f", "\x9b", "\u202e"):
            assert sign not in result.out + result.err, (words, sign)


def test_fios_text_cannot_move_the_terminal_either() -> None:
    job = ["--name=a\x1b[31mb", "--description=\x1b]0;t\x07", "--ioengine=null", "--size=1m"]
    answer = run([*job, "--rw=read"], program=FIO_FACE).check(0)
    assert "\x1b" not in answer.out and "(groupid=0" in answer.out


@pytest.mark.parametrize(
    "words",
    [
        ["results", "list", "--limit=-1"],
        ["plan", "run", "cdm", "x", "--repeat=-1"],
        ["plan", "run", "cdm", "x", "--keep-worst=x"],
        ["plan", "run", "cdm", "x", "--max-write=-1"],
        ["plan", "estimate", "cdm", "x", "--scale=0.5"],
        ["quick", "--time=-1"],
        ["quick", "--repeat=99999999999999999999"],
        ["log", "head", "--rows=-1", "x"],
        ["sim", "waf", "--op=-1"],
    ],
)
def test_a_wrong_value_names_its_option(words: list[str], assay: Path) -> None:
    result = run(words, program=assay)
    option = next(word for word in words if word.startswith("--")).split("=")[0]
    assert result.rc == 4 and f"{option}: " in result.err
