"""Plans: what there is, what is wrong with one, and what a run of one leaves behind."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from rigs import places
from rigs.assay import ASSAY, run
from rigs.scratch import Scratch

DOC = places.REPO / "doc/plans.md"


@pytest.fixture
def place(scratch: Scratch) -> Path:
    return Path(scratch.path)


def go(place: Path, *args, rc: int = 0, env=None):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data"), **(env or {})}).check(rc)


def test_shipped_plans_are_listed_and_right(place):
    out = go(place, "plan", "list").out
    names = re.findall(r"^(\S+) +\d+ +assay", out, re.M)
    assert "quick-check" in names
    for name in names:
        assert "nothing is wrong with it" in go(place, "plan", "check", name).out


def test_the_text_of_a_plan_can_be_copied_and_changed(place):
    text = go(place, "plan", "show", "quick-check", "--text").out
    (place / "mine.plan").write_text(text.replace("iodepth=1,8,32", "iodepth=8,32"))
    assert ": 6 cells" in go(place, "plan", "show", "quick-check").out
    assert ": 4 cells" in go(place, "plan", "show", "mine.plan").out


def test_own_plans_are_found_by_name(place):
    folder = place / "data/assay/plans"
    folder.mkdir(parents=True)
    (folder / "mine.plan").write_text("[plan]\ntitle=My own\n[a]\nstep=run\n")
    (folder / "broken.plan").write_text("[a]\nstep=jump\n")
    out = go(place, "plan", "list").out
    assert re.search(r"mine +1 +yours +My own", out)
    assert "warning: broken.plan:2: step=jump" in out
    assert "My own" in go(place, "plan", "show", "mine").out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["plan"], "plan: say what: list"),
        (["plan", "draw"], '"draw" is none of list'),
        (["plan", "show"], "plan show takes one plan"),
        (["plan", "list", "x"], "plan list takes no name"),
        (["plan", "show", "quick-chek"], 'there is no plan "quick-chek"; did you mean "quick-check"?'),
        (["plan", "show", "./gone.plan"], 'cannot read the plan "./gone.plan": no such file'),
        (["plan", "show", "quick-check", "--colour"], 'there is no option "--colour"'),
        (["plan", "check", "quick-check", "--set", "tim=5s"], "has no such variable; it has: time"),
        (["plan", "check", "quick-check", "--set", "time"], "write --set VARIABLE=VALUE"),
        (["plan", "check", "quick-check", "--spec=gone"], 'the datasheet "gone": no such file'),
        (["plan", "check", "quick-check", "--set", "time=5x"], 'quick-check.plan:'),
        (["plan", "show", "quick-check", "--format=json"], "json is the form of results"),
        (["plan", "show", "quick-check", "--format=pdf"], "none of text, json, markdown"),
    ],
)
def test_wrong_input_is_one_error(place, args, words):
    result = go(place, *args, rc=4)
    assert words in result.err
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_a_plan_includes_what_lies_beside_it(place):
    (place / "load.ini").write_text("rw=randread\nbs=16k\n")
    (place / "a.plan").write_text("[a]\nstep=run\ninclude load.ini\ncheck=write.iops > 1\n")
    assert "[a] does not write" in go(place, "plan", "check", "./a.plan", rc=4).err


def test_the_page_about_plans_is_right(place):
    commands = subprocess.run([places.REPO / "tools/readme-commands", "--list", DOC], check=True,
                              capture_output=True, text=True).stdout.splitlines()
    assert len(commands) >= 4
    for command in commands:
        assert command.startswith("assay ")
        go(place, *command.split()[1:])
    example = re.search(r"```ini\n(.*?)```", DOC.read_text(), re.S).group(1)
    (place / "doc.plan").write_text(example)
    go(place, "plan", "check", "doc.plan")


def test_an_estimate_only_reads_and_says_what_goes(place):
    (place / "precious").write_bytes(b"x" * 1048576)
    before = (place / "precious").stat().st_mtime_ns
    out = " ".join(go(place, "plan", "estimate", "quick-check", "precious").out.split())
    assert 'all data on "precious" are lost' in out
    assert "Consent is given by --destroy=precious" in out
    assert (place / "precious").stat().st_mtime_ns == before
    assert not (place / "data").exists()
    again = go(place, "plan", "run", "quick-check", "precious", "--dry-run").out
    assert "what it will do" in again
    assert (place / "precious").read_bytes() == b"x" * 1048576


def test_an_estimate_of_times_is_exact_where_the_plan_gives_them(place):
    (place / "a.plan").write_text(
        "[global]\nruntime=60s\ntime_based\nrw=randread\n"
        "[s]\nstep=sweep\nsweep=bs=4k,8k x iodepth=1,2,4\nrepeat=2\n"
        "[i]\nstep=idle\nfor=10m\n"
        "[r]\nstep=rounds\nrw=randwrite\nuntil=steady(iops, window=5)\nmax_rounds=25\n")
    (place / "sheet").write_text("read.bw = 2GB/s\nwrite.bw = 1GB/s\ntbw = 100TB\n")
    out = go(place, "plan", "estimate", "./a.plan", "sim:nvme-enterprise,scale=1000",
             "--spec=sheet").out
    assert re.search(r"^s +sweep +12 +12 min 00 s +[–-]$", out, re.M)
    assert re.search(r"^i +idle +1 +10 min 00 s +[–-]$", out, re.M)
    assert re.search(r"^r +rounds +5 to 25 +5 min 00 s to 25 min 00 s", out, re.M)
    assert "rated life (100 TB written)" in " ".join(out.split())
    scaled = go(place, "plan", "estimate", "./a.plan", "sim:nvme-enterprise,scale=1000",
                "--scale=60").out
    assert re.search(r"^s +sweep +12 +12 s", scaled, re.M)
    twice = go(place, "plan", "estimate", "./a.plan", "sim:nvme-enterprise,scale=1000",
               "sim:sata-enterprise,scale=1000", "--repeat=2", "--format=markdown").out
    assert "2 targets, 2 repetitions" in twice


def test_a_file_is_told_by_what_it_is_and_not_by_its_name(place):
    """Below /dev lie files too, and devices that are not there."""
    (place / "file.plan").write_text("[a]\nstep=run\nrw=read\nbs=4k\nruntime=1s\ntime_based\n")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as held:
        held.truncate(8 << 20)
        out = go(place, "plan", "estimate", "./file.plan", held.name).out
        assert f"{held.name}, 8.39 MB" in out
        assert "It only reads" in out
    for name, rc, words in (("/dev/nosuch0", 6, "no such file"), ("/dev/null", 4, "not a block"),
                            ("/dev/shm", 4, "is a directory")):  # fmt: skip
        assert words in go(place, "plan", "estimate", "./file.plan", name, rc=rc).err


def test_what_is_refused_is_refused_before_a_model_is_made(place):
    """A drive of full size takes gigabytes: what is refused needs none of them."""
    with subprocess.Popen([ASSAY, "plan", "run", "fs-vs-raw", "sim:pcie-mlc-1.2t"], cwd=place,
                          stderr=subprocess.PIPE, text=True) as child:  # fmt: skip
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 4, said
    assert "takes a block device" in said
    assert usage.ru_maxrss < 500_000  # KiB


def test_a_file_that_is_read_alone_loses_nothing(place):
    (place / "f").write_bytes(b"x" * 1048576)
    (place / "a.plan").write_text("[s]\nstep=run\nrw=randread\nruntime=1s\n")
    assert 'It only reads "f"' in go(place, "plan", "estimate", "./a.plan", "f").out
