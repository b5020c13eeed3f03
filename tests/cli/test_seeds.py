"""The command lines that the project grew from, and what programs that call fio read of it."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from rigs import oracle
from rigs.assay import Result, run
from rigs.loop import Loop
from rigs.scratch import Scratch

MIB = 1 << 20

# As people write them, with one dash. /dev/dfa stands for the card that was measured.
ON_DEVICE = """
-name=seqWrite -filename=/dev/dfa -numjobs=1 -bs=128k -ioengine=libaio -iodepth=32 -direct=1 -rw=write -group_reporting -randrepeat=0
-name=randRead -filename=/dev/dfa -numjobs=1 -bs=4k -ioengine=sync -direct=1 -norandommap -rw=randread -group_reporting -randrepeat=0 -runtime=120
-name=precondition -filename=/dev/dfa -numjobs=2 -bs=128k -ioengine=libaio -iodepth=32 -iodepth_batch=16 -iodepth_batch_complete=16 -direct=1 -rw=randwrite -group_reporting -randrepeat=0
-name=randomWrite -filename=/dev/dfa -numjobs=1 -bs=4k -ioengine=sync -direct=1 -norandommap -rw=randwrite -group_reporting -randrepeat=0 -runtime=120
-name=randomReadWrite -filename=/dev/dfa -numjobs=1 -bs=4k -ioengine=sync -direct=1 -norandommap -rw=randrw -rwmixread=70 -group_reporting -randrepeat=0 -runtime=120
""".strip().splitlines()  # noqa: E501

ON_FILE = """
-direct=1 -iodepth=128 -rw=randwrite -ioengine=libaio -bs=4k -size=1G -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
-direct=1 -iodepth=128 -rw=randread -ioengine=libaio -bs=4k -size=1G -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
-direct=1 -iodepth=64 -rw=write -ioengine=libaio -bs=1024k -size=1G -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
-direct=1 -iodepth=64 -rw=read -ioengine=libaio -bs=1024k -size=1G -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
-direct=1 -iodepth=1 -rw=randread -ioengine=sync -bs=4k -size=256M -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
-direct=1 -iodepth=1 -rw=randwrite -ioengine=sync -bs=4k -size=256M -numjobs=1 -runtime=1000 -group_reporting -filename=iotest -name=iotest
""".strip().splitlines()  # noqa: E501

DEVICE_BYTES = 8 * MIB
# What only these tests change: how much is done, never how.
CUTS = {"-size=1G": "-size=8M", "-size=256M": "-size=2M", "-runtime=1000": "-runtime=20"}
CUTS["-runtime=120"] = "-runtime=20"

ONLY_342 = {"job_start", "latency_target_ns", "latency_window_us", "read_sectors", "write_sectors"}


def cut(line: str, device: str) -> list[str]:
    words = [CUTS.get(word, word) for word in shlex.split(line)]
    return [word.replace("/dev/dfa", device) for word in words]


def fields(answer: Any) -> list[str]:
    """All keys with their places, without those that only 3.42 has, and options."""
    keys = oracle.shape({k: v for k, v in answer.items() if k not in ("assay", "disk_util")})
    kept = [k for k in keys if k.rsplit("/", 1)[-1] not in ONLY_342]
    return [k for k in kept if "options" not in k]


def both(words: list[str], **how: Any) -> tuple[Any, Any]:
    theirs = run([*words, "-output-format=json"], program=oracle.ORACLE, **how).check()
    ours = run([*words, "-output-format=json"], program=oracle.FIO_FACE, **how).check()
    assert ours.err == ""
    return ours.json(), oracle.jobs_json(theirs)


@pytest.fixture(autouse=True)
def _oracle(need: Any) -> None:
    need(oracle.why_not())


@pytest.mark.parametrize("line", ON_DEVICE, ids=lambda line: line.split()[0].split("=")[1])
def test_line_on_a_device(line: str, rig: Any, fio_face: Path) -> None:
    loop = rig(Loop, size=DEVICE_BYTES)
    ours, theirs = both(cut(line, loop.dev))
    assert fields(ours) == fields(theirs)
    if "randrw" not in line:
        assert oracle.differences(ours, theirs) == []
    jobs = 2 if "-numjobs=2" in line else 1
    job = ours["jobs"][0]
    assert job["read"]["io_bytes"] + job["write"]["io_bytes"] == jobs * DEVICE_BYTES
    assert len(ours["jobs"]) == 1


@pytest.mark.parametrize("number", range(len(ON_FILE)))
def test_line_on_a_file(number: int, scratch: Scratch, fio_face: Path) -> None:
    ours, theirs = both(cut(ON_FILE[number], ""), cwd=scratch.path)
    assert fields(ours) == fields(theirs)
    assert oracle.differences(ours, theirs) == []
    size = 2 * MIB if "256M" in ON_FILE[number] else 8 * MIB
    assert (scratch.path / "iotest").stat().st_size == size


# What consumers read


def null(*words: str, **how: Any) -> Result:
    args = ["--name=bench", "--ioengine=null", "--size=16m", "--iodepth=4", *words]
    return run(args, program=oracle.FIO_FACE, **how).check()


def test_version_is_one_that_scripts_parse(fio_face: Path) -> None:
    result = run(["--version"], program=fio_face).check()
    assert re.fullmatch(r"fio-3\.\d+\n", result.out)
    assert result.err == ""
    assert run(["-v"], program=fio_face).check().out == result.out


def test_help_names_json_plus(fio_face: Path) -> None:
    assert "json+" in run(["--help"], program=fio_face).check().out
    assert run(["-h"], program=fio_face).check().err == ""


@pytest.mark.parametrize("name", ["bs", "iodepth", "rw", "ioengine"])
def test_cmdhelp_knows_what_it_is_asked(name: str, fio_face: Path) -> None:
    assert name in run([f"--cmdhelp={name}"], program=fio_face).check().out


def test_enghelp_knows_the_engines(fio_face: Path) -> None:
    out = run(["--enghelp"], program=fio_face).check().out
    for engine in ("io_uring", "libaio", "psync", "mmap", "null", "posixaio"):
        assert re.search(rf"\b{engine}\b", out)
    assert "hipri" in run(["--enghelp=io_uring"], program=fio_face).check().out
    assert run(["--enghelp=nothing"], program=fio_face).rc == 1


def test_yabs_finds_its_fields(fio_face: Path) -> None:
    """It greps the line of the job and takes fields 7, 8, 48 and 49 of terse v3."""
    words = ["--minimal", "--rw=randrw", "--rwmixread=50", "--gtod_reduce=1"]
    line = next(li for li in null(*words).out.splitlines() if "bench" in li)
    f = line.split(";")
    assert f[0] == "3"
    assert f[1].startswith("fio-3.")
    assert f[2] == "bench"
    for bw, iops in ((7, 8), (48, 49)):
        assert int(f[bw - 1]) == pytest.approx(int(f[iops - 1]) * 4, rel=0.01)
        assert int(f[iops - 1]) > 0


def test_tkperf_finds_its_fields(fio_face: Path) -> None:
    """Counted from 0: bw and iops 6, 7 and 47, 48; KiB written 46; mean latencies 39 and 80."""
    f = null("--minimal", "--rw=rw").out.strip().split(";")
    assert int(f[5]) + int(f[46]) == 16 * 1024
    for low, high, mean in ((37, 38, 39), (78, 79, 80)):
        assert int(f[low]) <= float(f[mean]) < int(f[high]) + 1  # whole us, cut as fio cuts


def test_exporter_finds_its_fields(fio_face: Path) -> None:
    """Terse v5: CPU at 146 and 147, depths at 151 to 157 (counted from 0)."""
    f = null("--minimal", "--terse-version=5", "--rw=rw").out.strip().split(";")
    assert f[0] == "5"
    theirs = run(
        ["--name=bench", "--ioengine=null", "--size=16m", "--iodepth=4", "--minimal",
         "--terse-version=5", "--rw=rw"], program=oracle.ORACLE,
    ).check().out.strip().split(";")  # fmt: skip
    percent = [i for i, field in enumerate(theirs) if field.endswith("%")]
    assert [i for i, field in enumerate(f) if field.endswith("%")] == percent
    assert len(f) == len(theirs)


def test_kdiskmark_finds_its_fields(scratch: Scratch, fio_face: Path) -> None:
    file = f"--filename={scratch.path}/mark"
    words = ["--name=mark", "--ioengine=libaio", "--direct=1", "--size=4m", "--bs=1m", file]
    only = [*words, "--rw=read", "--create_only=1", "--output-format=json"]
    assert run(only, program=fio_face).check().json()["jobs"][0]["error"] == 0
    more = ["--rw=write", "--iodepth=8", "--end_fsync=1", "--zero_buffers", "--refill_buffers"]
    job = run([*words, *more, "--runtime=5", "--output-format=json"], program=fio_face)
    job = job.check().json()["jobs"][0]
    assert job["error"] == 0
    assert job["write"]["bw"] > 0
    assert job["write"]["iops"] > 0
    assert job["write"]["clat_ns"]["mean"] > 0


def test_fio_plot_finds_its_fields(fio_face: Path) -> None:
    """Integers stay integers, floats have six decimals, stderr is empty."""
    result = null("--rw=randread", "--output-format=json")
    assert result.err == ""
    answer = result.json()
    job, read = answer["jobs"][0], answer["jobs"][0]["read"]
    assert {"iodepth", "ioengine", "rw", "size"} <= job["job options"].keys()
    for key in ("bw", "bw_bytes", "io_bytes", "runtime", "total_ios", "bw_min", "bw_max"):
        assert isinstance(read[key], int)
    for key in ("iops", "iops_mean", "iops_stddev", "bw_mean"):
        assert isinstance(read[key], float)
        assert re.search(rf'"{key}" : \d+\.\d{{6}},?$', result.out, re.M)
    for key in ("latency_ns", "latency_us", "latency_ms", "usr_cpu", "sys_cpu", "iodepth_level"):
        assert key in job
    assert {"mean", "stddev", "min", "max", "N"} <= read["lat_ns"].keys()
    assert "99.000000" in read["clat_ns"]["percentile"]


def test_json_plus_has_bins_that_add_up(fio_face: Path) -> None:
    read = null("--rw=read", "--output-format=json+").json()["jobs"][0]["read"]
    assert sum(read["clat_ns"]["bins"].values()) == read["clat_ns"]["N"] == read["total_ios"]


def test_dbench_finds_its_lines(fio_face: Path) -> None:
    out = null("--rw=randrw").out
    for word in ("read ?:", "write:"):
        assert re.search(rf"{word} IOPS=[0-9k.]+, BW=[0-9GMKiBs/.]+", out)
    assert re.search(r" lat.*avg=", out)
    for word in ("READ:", "WRITE:"):
        assert re.search(rf"{word} bw=", out)


def test_output_goes_to_the_file_alone(scratch: Scratch, fio_face: Path) -> None:
    file = scratch.path / "out"
    result = null("--rw=read", "--output-format=json", f"--output={file}")
    assert (result.out, result.err) == ("", "")
    assert file.read_text(encoding="ascii").startswith("{")


def test_several_formats_follow_each_other(fio_face: Path) -> None:
    out = null("--rw=read", "--output-format=normal,json").out
    assert "Run status group 0" in out
    assert '"fio version"' in out
