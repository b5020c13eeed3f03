"""How many workers a row of fio's JSON is of, and when its jobs ran. fio prints neither: the oracle
is assay's own run of the same job file, which knows.
"""

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from rigs.assay import ASSAY, run
from rigs.scratch import Scratch

FIO = "/usr/bin/fio"
HEAD = """[global]
filename=FILE
size=4m
rw=randread
bs=4k
ioengine=psync
rate_iops=100
time_based
runtime=1s
"""


class Job(NamedTuple):
    text: str
    span: float  # seconds, of both
    note: str = ""


JOBS = {
    "group": Job("group_reporting\n[a]\nnumjobs=3\n", 1),
    "group with value": Job("group_reporting=1\n[a]\nnumjobs=3\n", 1),
    "rows": Job("[a]\nnumjobs=3\n[b]\n", 1),
    "two in a group": Job("group_reporting\n[a]\nnumjobs=3\n[b]\nnumjobs=2\n", 1),
    "walls": Job("[a]\nnumjobs=2\n[b]\nstonewall\n", 2, "fio-order"),
    "walls and group": Job(
        "group_reporting\n[a]\nnumjobs=3\n[b]\nstonewall\nnumjobs=2\n[c]\nbs=8k\n", 2, "fio-order"),
    "walls with value": Job("group_reporting\n[a]\n[b]\nstonewall=1\nnumjobs=2\n", 2),
    "new group": Job("group_reporting\nnumjobs=2\n[a]\n[b]\nnew_group\n", 1, "fio-order"),
    "new group with value": Job("numjobs=2\n[a]\n[b]\nnew_group=1\ngroup_reporting\n", 1),
    "both": Job("[a]\n[b]\nnew_group\ngroup_reporting\nnumjobs=2\n[c]\nstonewall\n", 2,
                "fio-order"),
    "unequal": Job("numjobs=2\ngroup_reporting\n[a]\n[b]\nruntime=2s\n", 2, "fio-merged"),
    "ramp and wall": Job("ramp_time=1s\n[a]\nnumjobs=2\ngroup_reporting\n[b]\nstonewall\n", 4,
                         "fio-order"),
    "delay": Job("[a]\n[b]\nstartdelay=1\n", 2),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Both programs run all jobs at the same time: these sleep."""
    place = tmp_path_factory.mktemp("fio")
    (place / "FILE").write_bytes(b"x" * (4 << 20))
    started = {}
    for name, job in JOBS.items():
        path = place / f"{name}.fio"
        path.write_text(HEAD + job.text)
        for program, args in ((FIO, ["--output-format=json"]),
                              (ASSAY, ["run", "--no-store", "--format=json"])):
            started[name, program == FIO] = subprocess.Popen(
                [program, *args, path], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ends = {key: process.communicate() for key, process in started.items()}
    bad = {key: ends[key][1] for key, process in started.items() if process.returncode}
    assert not bad
    return {key: out for key, (out, _) in ends.items()}


def imported(place: Path, text: str) -> dict:
    (place / "o.json").write_text(text)
    store = f"--store={place}/s.db"
    run(["results", "import", "./o.json", store], cwd=place).check(0)
    return run(["results", "show", "@last", store, "--format=json"], cwd=place).check(0).json()


def workers(groups: list) -> dict:
    return {group["name"]: group["members"] for group in groups}


@pytest.mark.parametrize("name", JOBS)
def test_workers_and_span_are_those_of_the_run(scratch: Scratch, told, name):
    own = json.loads(told[name, False])
    record = imported(Path(scratch.path), told[name, True])
    part = record["runs"][0]["result"]
    assert workers(part["groups"]) == workers(own["groups"])
    assert part["span_ns"] == pytest.approx(JOBS[name].span * 1e9, rel=0.15)
    assert part["span_ns"] == pytest.approx(own["span_ns"], rel=0.15)
    for theirs, ours in zip(part["groups"], own["groups"], strict=True):
        assert theirs["whole_end_ns"] == pytest.approx(ours["whole_end_ns"], abs=0.3e9)
    notes = {note["id"] for note in part["notes"]} & {"fio-order", "fio-merged"}
    assert notes == ({JOBS[name].note} if JOBS[name].note else set())


def test_terse_lines_of_groups_run_one_after_another(scratch: Scratch):
    place = Path(scratch.path)
    (place / "FILE").write_bytes(b"x" * (4 << 20))
    (place / "j.fio").write_text(HEAD.replace("runtime=1s", "runtime=200ms") +
                                 "[a]\nnumjobs=2\n[b]\nstonewall\n")
    text = subprocess.run([FIO, "--minimal", "j.fio"], cwd=place, check=True, text=True,
                          capture_output=True).stdout
    part = imported(place, text)["runs"][0]["result"]
    assert part["span_ns"] == pytest.approx(0.4e9, rel=0.3)
    assert "fio-order" in {note["id"] for note in part["notes"]}
