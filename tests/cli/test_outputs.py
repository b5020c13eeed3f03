"""-o FILE, figures and logs: what is written over is our own output or nothing. A file system on a
block device, a target, an input, a job file and the store stay byte for byte, whatever the command.
"""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from rigs.assay import FIO_FACE, Result, Running, run
from rigs.loop import Loop
from rigs.scratch import RamScratch

USAGE, ENVIRONMENT = 4, 6
PRECIOUS = b"years of work\n" * 100
NULL = ["--name=j", "--ioengine=null", "--rw=read", "--size=64k"]
RUN = ["run", "--no-store", *NULL]
DRIVE = "sim:nvme-enterprise,scale=10000"


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """Two runs in a store, the JSON of one, and a log."""
    folder = tmp_path_factory.mktemp("kept")
    job = ["run", "--store=s.db", "--filename=f", "--rw=write", "--size=64k"]
    run([*job, "--write_lat_log=l", "--log_format=fio"], cwd=folder).check()
    run([*job, "--format=json", "-o", "run.json"], cwd=folder).check()
    return folder


@pytest.fixture
def store(kept: Path, tmp_path: Path) -> str:
    for path in kept.iterdir():
        shutil.copy2(path, tmp_path) # with its attributes: an output stays one
    return "--store=s.db"


COMMANDS: dict[str, list[str]] = {
    "run": RUN,
    "quick": ["quick", DRIVE, "--time=100ms", "--cells=RND4K-Q1T1", "--no-store"],
    "report": ["report", "r1", "--format=html"],
    "compare": ["compare", "r1", "r2"],
    "gate": ["gate", "r1", "r2"],
    "history": ["history", "f"],
    "results list": ["results", "list"],
    "results show": ["results", "show", "r1"],
    "results export": ["results", "export", "r1"],
    "log info": ["log", "info", "l_lat.1.log"],
    "log bin": ["log", "bin", "l_lat.1.log"],
    "log cut": ["log", "cut", "l_lat.1.log"],
    "log convert": ["log", "convert", "l_lat.1.log"],
    "log judge": ["log", "judge", "l_lat.1.log"],
    "log compare": ["log", "compare", "l_lat.1.log", "l_lat.1.log"],
    "log plot": ["log", "plot", "l_lat.1.log", "--format=svg"],
    "log plot png": ["log", "plot", "l_lat.1.log", "--format=png"],
    "sim list": ["sim", "list"],
    "sim show": ["sim", "show", DRIVE],
    "sim waf": ["sim", "waf", "--blocks=256", "--turns=8"],
    "plan list": ["plan", "list"],
    "plan show": ["plan", "show", "cdm"],
    "plan estimate": ["plan", "estimate", "cdm", DRIVE],
    "plan run": ["plan", "run", "cdm", DRIVE, "--scale=1000"],
}
WITH_STORE = ("report", "compare", "gate", "history", "results", "plan")


def with_store(args: list[str], store: str) -> list[str]:
    return [*args, store] if args[0] in WITH_STORE else args


def says(result: Result, *words: str, code: int = USAGE) -> None:
    result.check(code)
    for word in words:
        assert word in result.err, str(result)
    assert "Traceback" not in result.err and result.out == "", str(result)


@pytest.fixture(scope="module")
def loop(request):
    if why := Loop.lacks():
        pytest.skip(why)
    if os.geteuid():
        pytest.skip("needs root")
    with Loop(16 << 20, ram=True) as loop:
        yield loop


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_over_a_block_device_or_what_it_did_not_make(name, loop, tmp_path, store):
    before = Path(loop.dev).read_bytes()
    precious = tmp_path / "precious.txt"
    precious.write_bytes(PRECIOUS)
    args = with_store(COMMANDS[name], store)
    says(run([*args, "-o", loop.dev], cwd=tmp_path), loop.dev, "block device")
    says(run([*args, "-o", precious], cwd=tmp_path), "precious.txt", "is there already", "remove it")
    os.symlink(precious, tmp_path / "link")
    says(run([*args, "-o", "link"], cwd=tmp_path), "link", "is there already")
    assert Path(loop.dev).read_bytes() == before and precious.read_bytes() == PRECIOUS


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("log cut", "log convert", "plan run")])
def test_an_output_is_written_again_until_somebody_changes_it(name, tmp_path, store):
    args = [*with_store(COMMANDS[name], store), "-o", "out"]
    first = run(args, cwd=tmp_path)
    assert first.rc in (0, 1, 2), str(first)
    run(args, cwd=tmp_path).check(first.rc)
    with open(tmp_path / "out", "ab") as file:
        file.write(b"my notes\n")
    says(run(args, cwd=tmp_path), "is there already", "not as assay wrote it")
    assert (tmp_path / "out").read_bytes().endswith(b"my notes\n")


@pytest.mark.parametrize("way", ["itself", "symbolic link", "hard link", "-wal"])
def test_the_store_is_never_an_output(way, tmp_path, store):
    out = tmp_path / ("link" if "link" in way else "s.db")
    if way == "symbolic link":
        os.symlink("s.db", out)
    elif way == "hard link":
        os.link(tmp_path / "s.db", out)
    elif way == "-wal":
        out = tmp_path / "s.db-wal"
        out.touch()
    before = (tmp_path / "s.db").read_bytes()
    says(run(["results", "export", "r1", store, "-o", out], cwd=tmp_path), out.name)
    assert (tmp_path / "s.db").read_bytes() == before
    run(["results", "show", "r1", store], cwd=tmp_path).check()


def test_the_default_store_is_no_output_even_when_empty(tmp_path):
    home = tmp_path / "assay"
    home.mkdir()
    (home / "results.db").touch()
    for program, args in ((None, RUN), (FIO_FACE, ["--name=j", "--ioengine=null", "--size=4k"])):
        how = {"program": program} if program else {}
        result = run([*args, f"--output={home}/results.db"], env={"XDG_DATA_HOME": str(tmp_path)}, **how)
        assert result.rc == (1 if program else USAGE) and "is the store" in result.err, str(result)


def test_an_input_is_no_output_though_it_is_ours(tmp_path, store):
    """run.json is an output of assay, which any other command may write again."""
    before = (tmp_path / "run.json").read_bytes()
    for args in (["compare", "run.json", "r1", store], ["gate", "r1", "./run.json", store],
                 ["report", "run.json", "--format=html"], ["results", "show", "./run.json"]):  # fmt: skip
        says(run([*args, "-o", "run.json"], cwd=tmp_path), "run.json", "used by this command")
        assert (tmp_path / "run.json").read_bytes() == before


JOB = "[j]\nrw=write\nsize=64k\nfilename=target\n"


@pytest.mark.parametrize("there", [True, False], ids=["empty", "missing"])
@pytest.mark.parametrize("args", [["--name=j", "--rw=write", "--size=64k", "--filename=other:target"],
                                  ["job.fio"],
                                  ["--name=target", "--rw=write", "--size=64k", "--filename_format=$jobname"]],
                         ids=["command line", "job file", "default name"])  # fmt: skip
def test_a_target_is_no_output(args, there, tmp_path):
    (tmp_path / "job.fio").write_text(JOB)
    if there:
        (tmp_path / "target").touch()
    says(run(["run", "--no-store", *args, "-o", "target"], cwd=tmp_path), "target", "used by")
    assert (tmp_path / "target").stat().st_size == 0


def test_a_target_that_is_only_read_and_a_job_file_are_no_outputs(tmp_path):
    (tmp_path / "job.fio").write_text(JOB)
    (tmp_path / "data").write_bytes(PRECIOUS * 100)
    for out in ("data", "job.fio"):
        for args in (["job.fio"], ["--name=j", "--rw=read", "--bs=512", "--filename=data"]):
            says(run(["run", "--no-store", *args, "-o", out], cwd=tmp_path), out)
    assert (tmp_path / "job.fio").read_text() == JOB
    assert (tmp_path / "data").read_bytes() == PRECIOUS * 100


def test_the_fio_face_spares_devices_targets_and_job_files_but_no_other_file(tmp_path, loop):
    (tmp_path / "job.fio").write_text("[j]\nrw=read\nbs=512\nfilename=data\n")
    (tmp_path / "data").write_bytes(PRECIOUS * 100)
    (tmp_path / "other").write_bytes(PRECIOUS)
    before = Path(loop.dev).read_bytes()
    for out in ("data", "job.fio", loop.dev):
        result = run(["job.fio", f"--output={out}"], program=FIO_FACE, cwd=tmp_path).check(1)
        assert out in result.err
    assert (tmp_path / "data").read_bytes() == PRECIOUS * 100
    assert Path(loop.dev).read_bytes() == before
    run(["job.fio", "--output=other"], program=FIO_FACE, cwd=tmp_path).check()
    assert b"years of work" not in (tmp_path / "other").read_bytes()


def test_pipes_and_streams_are_places_for_a_report(tmp_path):
    for name in ("/dev/stdout", "/proc/self/fd/1", "-"):
        result = run([*RUN, "--format=json", "-o", name], cwd=tmp_path).check()
        assert json.loads(result.out)["record"]
    assert "IOPS" in run([*RUN, "-o", "/dev/stderr"], cwd=tmp_path).check().err
    run([*RUN, "-o", "/dev/null"], cwd=tmp_path).check()
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(["cat", tmp_path / "fifo"], stdout=subprocess.PIPE) as reader:
        run([*RUN, "--format=json", "-o", "fifo"], cwd=tmp_path).check()
        assert json.loads(reader.communicate(timeout=10)[0])["record"]


def test_stdout_that_is_a_file_is_added_to(tmp_path):
    with open(tmp_path / "all", "w+") as file:
        file.write("before\n")
        file.flush()
        run([*RUN, "-o", "/dev/stdout"], output={"stdout": file.fileno()}).check()
    assert (tmp_path / "all").read_text().startswith("before\n")


def test_figures_replace_figures_and_no_picture_of_anybody(tmp_path, store):
    args = ["report", "r1", store, "--figures=figs", "-o", "r.html"]
    run(args, cwd=tmp_path).check()
    run(args, cwd=tmp_path).check()
    for name in ("histogram.png", "percentiles.svg"):
        for path in (tmp_path / "figs").iterdir():
            path.unlink()
        (tmp_path / "r.html").unlink(missing_ok=True)
        (tmp_path / "figs" / name).write_bytes(PRECIOUS)
        says(run(args, cwd=tmp_path), name, "is there already")
        assert [path.name for path in (tmp_path / "figs").iterdir()] == [name]
        assert (tmp_path / "figs" / name).read_bytes() == PRECIOUS
        assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("form", ["fio", "binary"])
def test_logs_of_an_earlier_run_stay(form, tmp_path):
    args = ["run", "--no-store", "--name=j", "--filename=f", "--rw=write", "--size=64k",
            "--write_lat_log=l", "--write_bw_log=l", f"--log_format={form}"]  # fmt: skip
    run(args, cwd=tmp_path).check()
    logs = {path.name: path.read_bytes() for path in tmp_path.glob("l_*")}
    assert len(logs) == 4
    written = (tmp_path / "f").stat().st_mtime_ns
    says(run(args, cwd=tmp_path), "l_", "is there already: remove it")
    assert {path.name: path.read_bytes() for path in tmp_path.glob("l_*")} == logs
    assert (tmp_path / "f").stat().st_mtime_ns == written, "the run took place"


def test_fio_writes_over_its_logs(tmp_path):
    args = ["--name=j", "--filename=f", "--rw=write", "--size=64k", "--write_lat_log=l"]
    for _ in range(2):
        run(args, program=FIO_FACE, cwd=tmp_path).check()
    assert len((tmp_path / "l_lat.1.log").read_text().splitlines()) == 16


@pytest.mark.parametrize("form", ["binary", "fio"])
@pytest.mark.parametrize("room", [0, 16384])
def test_a_full_disk_costs_rows_that_are_counted_and_exit_6(form, room, tmp_path):
    rows = 4096
    if os.geteuid():
        pytest.skip("needs root")
    with RamScratch("full", 1 << 20) as ram:
        with open(ram.path / "ballast", "wb", buffering=0) as ballast:
            try:
                while ballast.write(bytes(4096)):
                    pass
            except OSError:
                pass
            ballast.truncate(ballast.tell() // 4096 * 4096 - room)
        args = ["run", "--store=s.db", "--format=json", *NULL, "--bs=4k", "--size=16m",
                f"--write_lat_log={ram.path}/l", f"--log_format={form}"]  # fmt: skip
        result = run(args, cwd=tmp_path).check(ENVIRONMENT)
        answer = result.json()
        lat = next(note["text"] for note in answer["notes"] if note["id"] == "log-broken")
        log = Path(lat.split('"')[1]).read_bytes()
        kept = log.count(b"\n") if form == "fio" else 0 if not log else None
    assert answer["groups"][0]["read"]["ios"] == rows
    assert lat in result.err
    missing = int(lat.split("(")[1].split()[0])
    assert f" of {rows} rows are missing" in lat
    assert missing == rows - kept if kept is not None else 0 < missing <= rows
    run(["results", "show", "r1", "--store=s.db"], cwd=tmp_path).check()


def test_a_plan_whose_reader_went_away_is_done_and_ends_as_other_commands_do(tmp_path):
    for args in (RUN, ["plan", "run", "cdm", "sim:nvme-enterprise", "--scale=1000", "--store=s.db", "--no-report"]):
        reader, writer = os.pipe()
        os.close(reader)
        with Running(args, cwd=tmp_path, output={"stdout": writer}) as running:
            os.close(writer)
            assert running.finish().rc == -signal.SIGPIPE
    assert "done" in run(["results", "list", "--store=s.db"], cwd=tmp_path).check().out


def test_quick_clean_only_cleans(tmp_path):
    result = run(["quick", str(tmp_path), "--clean", "--store=s.db"], cwd=tmp_path).check()
    assert result.out == "" and list(tmp_path.iterdir()) == []
    assert "--clean only removes" in run(["help", "quick"]).check().out


def test_an_offset_past_the_end_is_named(tmp_path):
    (tmp_path / "ro.dat").write_bytes(bytes(1 << 20))
    args = ["run", "--no-store", "--filename=ro.dat", "--rw=randread", "--offset=2m"]
    says(run(args, cwd=tmp_path), "offset 2097152", "at or past the end", "1048576 bytes")


def test_what_is_to_be_typed_again_is_quoted(tmp_path):
    (tmp_path / "a b.dat").write_bytes(PRECIOUS)
    args = ["run", "--no-store", "--filename=a b.dat", "--rw=write", "--size=1k", "--bs=512"]
    says(run(args, cwd=tmp_path), "--destroy='a b.dat'", code=5)


def test_a_newline_in_a_title_is_escaped(tmp_path, store):
    name = tmp_path / "a\nb.json"
    text = (tmp_path / "run.json").read_text()
    title = json.loads(text)["record"]["title"]
    name.write_text(text.replace(json.dumps(title), json.dumps("one\ntwo\x1b[31m")))
    result = run(["results", "import", name, "--store=new.db"], cwd=tmp_path).check()
    assert result.out.count("\n") == 1 and "one\\ntwo\\x1b[31m" in result.out
