"""The outputs of the fio face beside Debian's fio: the same keys in the same order with the same
types of values, the same lines of text, the same number of fields. Values are for other tests.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rigs import oracle
from rigs.assay import run
from rigs.model import ModelDevice

# What 3.42 prints and Debian's 3.33 does not.
ONLY_342 = {"job_start", "latency_target_ns", "latency_window_us", "read_sectors", "write_sectors"}

# Ours, or dependent on the machine. What is laid out is run's business: writes need no file there.
ELSEWHERE = ("assay:", "fio-", "Disk stats", "  vd", "  sd", "  nvme", "Starting")

FILE = ["--name=j", "--size=1m", "--direct=1"]
RUNS = {
    "psync": [*FILE, "--rw=read", "--ioengine=psync"],
    "libaio": [*FILE, "--rw=randrw", "--ioengine=libaio", "--iodepth=8"],
    "io_uring": [*FILE, "--rw=randread", "--ioengine=io_uring", "--iodepth=4"],
    "fsync": [*FILE, "--rw=write", "--fsync=8"],
    "clones": [*FILE, "--rw=randread", "--numjobs=3"],
    "group": [*FILE, "--rw=randrw", "--numjobs=3", "--group_reporting"],
    "two waves": [*FILE, "--rw=read", "--name=k", "--stonewall", "--size=512k", "--rw=write"],
    "global": ["--size=1m", "--direct=1", "--name=j", "--rw=randwrite"],
    "mixed": [*FILE, "--rw=randrw", "--unified_rw_reporting=1"],
    "both": [*FILE, "--rw=randrw", "--unified_rw_reporting=2"],
    "percentiles": [*FILE, "--rw=read", "--lat_percentiles=1", "--slat_percentiles=1",
                    "--ioengine=libaio", "--percentile_list=50:99:99.999"],
    "no clat": [*FILE, "--rw=read", "--disable_clat=1"],
    "no lat": [*FILE, "--rw=read", "--disable_lat=1", "--disable_slat=1", "--ioengine=libaio"],
    "gtod_reduce": [*FILE, "--rw=read", "--gtod_reduce=1"],
    "errors": [*FILE, "--rw=read", "--continue_on_error=all", "--description=of nothing"],
    "samples": [*FILE, "--rw=randread", "--time_based", "--runtime=2", "--rate_iops=200"],
    "steady": [*FILE, "--rw=randread", "--time_based", "--runtime=8", "--rate_iops=200",
               "--steadystate=iops:50%", "--steadystate_duration=2"],
    "trim": ["--name=j", "--ioengine=null", "--iodepth=4", "--size=1m", "--rw=randtrim"],
}  # fmt: skip


def shape(value: Any, key: str = "") -> Any:
    """Keys in their order, with the type of each value; of bins and lists only that they are there.
    Options are kept with their values, but for flags, which 3.33 does not list.
    """
    if key in ("job options", "global options"):
        return [(k, v) for k, v in value.items() if v != ""]
    if key in ("bins", "iops", "bw") and isinstance(value, (dict, list)):
        return type(value).__name__
    if isinstance(value, dict):
        return [
            (k, shape(v, k))
            for k, v in value.items()
            if k not in ONLY_342 and k not in ("assay", "disk_util")
        ]
    if isinstance(value, list):
        return [shape(v) for v in value]
    return type(value).__name__


def heads(text: str) -> list[str]:
    """The words of each line of the report before its figures; of the table of latencies and of
    percentiles, whose lines depend on the figures, only that they are there.
    """
    lines: list[str] = []
    for line in text.splitlines():
        head = re.sub(r"\((n|u|m)sec\)", "(time)", re.split(r"[=\[|]", line)[0])
        head = re.sub(r"^(\s+lat \(time\))\s+:.*", r"\1 table", head).rstrip(" 0123456789>")
        head = head.replace("sync_file_range/syncfs", "sync_file_range")
        if head.startswith(ELSEWHERE) or ": Laying out" in head:
            continue
        if not lines or lines[-1] != head:
            lines.append(head)
    while lines and not lines[-1]:
        lines.pop()
    return lines


@pytest.fixture(autouse=True)
def _oracle(need: Any) -> None:
    need(oracle.why_not())


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("form", ["json", "json+"])
def test_json_has_the_same_shape(name: str, form: str, fio_face: Any, scratch: Any) -> None:
    args = [f"--directory={scratch.path}", *RUNS[name], f"--output-format={form}"]
    theirs = oracle.jobs_json(run(args, program=oracle.ORACLE))
    ours = run(args, program=fio_face).check().json()
    assert shape(ours) == shape(theirs)
    assert list(ours)[-1] == "assay"
    assert ours["fio version"] == "fio-3.42"


@pytest.mark.parametrize("name", RUNS)
def test_text_has_the_same_lines(name: str, fio_face: Any, scratch: Any) -> None:
    args = [f"--directory={scratch.path}", *RUNS[name], "--eta=never"]
    theirs = run(args, program=oracle.ORACLE).check()
    for file in scratch.path.iterdir():
        file.unlink()
    ours = run(args, program=fio_face).check()
    assert heads(ours.out) == heads(theirs.out)
    assert ours.err == ""


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_terse_has_the_same_fields(name: str, version: int, fio_face: Any, scratch: Any) -> None:
    args = ["--minimal", f"--terse-version={version}", f"--directory={scratch.path}"]
    args += ["--disk_util=0", *RUNS[name]]
    if name in ("samples", "steady") and version != 5:
        pytest.skip("runs for seconds; version 5 has all fields of the others")
    theirs = run(args, program=oracle.ORACLE).check()
    ours = run(args, program=fio_face).check()

    def kinds(text: str) -> list[list[str]]:
        return [
            [re.sub(r"\d+", "#", field) for field in line.split(";")[4:]]
            for line in text.splitlines()
        ]

    assert kinds(ours.out) == kinds(theirs.out)


def test_notes_can_be_turned_off(fio_face: Any) -> None:
    args = ["--name=j", "--ioengine=null", "--size=1m", "--output-format=json,normal"]
    ours = run(args, program=fio_face, env={"ASSAY_NOTES": "0"}).check()
    assert "assay" not in ours.out


@pytest.mark.parametrize("engine", ["libaio", "io_uring"])
def test_a_queue_that_is_kept_full_stands_at_its_depth(engine: str, rig: Any, need: Any) -> None:
    """Of 500 requests the first and the last 16 meet a queue that is not full; both programs say
    so of the rest.
    """
    need(oracle.why_not())
    device = rig(ModelDevice, service_ns=2_000_000)
    args = ["--name=j", f"--filename={device.file}", "--size=4m", "--rw=randread", "--direct=1",
            f"--ioengine={engine}", "--iodepth=16", "--io_size=2000k", "--output-format=json",
            "--allow_file_create=0"]  # fmt: skip
    for result in (run(["fio", *args]), oracle.fio(args)):
        job = result.check().json()["jobs"][0]
        assert job["iodepth_level"]["16"] >= 90, result
        assert job["iodepth_submit"]["4"] == 100
        assert job["iodepth_complete"]["4"] >= 95


@pytest.mark.parametrize("more", [[], ["--continue_on_error=all"]])
def test_a_failed_request_is_told_on_stderr(
    more: list[str], rig: Any, need: Any, fio_face: Any
) -> None:
    """To the letter, and only where it ended the job: who reads the JSON from a file or a pipe
    sees nothing else.
    """
    need(oracle.why_not())
    device = rig(ModelDevice)
    args = ["--name=j", f"--filename={device.file}", "--rw=write", "--bs=4k", "--direct=1", *more]
    said = []
    for program in (oracle.ORACLE, fio_face):
        device.fail_every(30, 5)
        result = oracle.fio(args, program=program).check(0 if more else 1)
        said.append(result.err.replace("\n\n", "\n"))
    assert said[0] == said[1]
    assert ("write offset=118784, buflen=4096" in said[1]) == (not more)


def test_elapsed_is_the_runs(fio_face: Any) -> None:
    """Of all jobs alike; a ramp longer than its job is left out."""
    null = ["--ioengine=null", "--size=1g", "--rate_iops=100", "--time_based", "--output-format=json"]
    one, two = "--runtime=1", "--runtime=2"
    cases = [
        ["--name=a", one, "--name=b", two, "--stonewall"],
        ["--name=a", one, "--name=b", two],
        ["--name=a", two, "--ramp_time=1"],
        ["--name=a", one, "--ramp_time=2"],
        ["--name=a", one, "--ramp_time=1", "--name=b", one, "--ramp_time=2", "--stonewall"],
        ["--name=a", one, "--startdelay=1"],
    ]
    words = [[*null, *case] for case in cases]
    with ThreadPoolExecutor(2 * len(words)) as threads:
        ours = threads.map(lambda word: run(word, program=fio_face).check().json(), words)
        theirs = threads.map(lambda word: oracle.jobs_json(oracle.fio(word)), words)
        for ends in zip(ours, theirs, strict=True):
            mine, its = ([job["elapsed"] for job in end["jobs"]] for end in ends)
            assert mine == its
