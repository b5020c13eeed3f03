"""Traps that other tools fell into (doc/traps.md): those without a test elsewhere, and that all have one."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rigs.assay import run

REPO = Path(__file__).resolve().parent.parent.parent
NAMED = re.findall(r"`(tests/[\w/.]+): (\w+)`", (REPO / "doc/traps.md").read_text())


@pytest.fixture
def place() -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix="assay-traps-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def plan(place: Path, text: str, drive: str, *args: str):
    (place / "t.plan").write_text(text)
    return run(["plan", "run", "./t.plan", drive, "--no-report", *args], cwd=place,
               env={"XDG_DATA_HOME": str(place)}).check()  # fmt: skip


def test_each_trap_has_its_test():
    assert len(NAMED) >= 14
    for path, name in NAMED:
        assert re.search(rf"^(static void|def) {name}\(", (REPO / path).read_text(), re.MULTILINE), name


def test_threads_and_depth_are_not_swapped(place):
    """With both different: 3 jobs of depth 16 keep 48 in flight, and the page says which is which."""
    text = "[a]\nstep=run\nrw=randread\nbs=4k\nnumjobs=3\niodepth=16\nruntime=100ms\ntime_based\n"
    document = plan(place, "[global]\ngroup_reporting\n" + text, "sim:nvme-enterprise,scale=1000",
                    "--format=json").json()  # fmt: skip
    cell = document["steps"][0]["cells"][0]["all"]
    assert cell["ios_per_s"] * cell["mean_ns"] / 1e9 == pytest.approx(48, rel=0.03)
    page = run(["results", "show", "@plan"], env={"XDG_DATA_HOME": str(place)}).check().out
    assert re.search(r"conditions +load +block +threads +depth each", page)
    assert re.search(r"\na +randread +4 KiB +3 +16 ", page), page


def test_a_short_window_is_called_short(place):
    """Five rounds of 0.1 s of a hard disk are some dozens of requests; of 10 s they are a window."""
    text = ("[a]\nstep=rounds\nrw=randread\nbs=4k\nruntime={}\ntime_based\nmax_rounds=5\n"
            "until=steady(iops)\n")  # fmt: skip
    drive = "sim:hdd-7200-raid0,scale=1000"
    short = " ".join(plan(place, text.format("100ms"), drive).out.split())
    assert re.search(r"iops: the window holds \d\d requests of 0\.\d+ s: below 10000 requests and 30 s",
                     short), short  # fmt: skip
    assert "the window holds" not in plan(place, text.format("10s"), drive).out


def test_a_job_that_its_size_ends_tells_its_seconds_and_bytes(place):
    """runtime=1000 is a cap: 64 MiB last for some hundredths of a second, and that stands there."""
    job = ["run", "--name=j", "--filename=sim:nvme-enterprise,scale=1000", "--rw=read", "--bs=1m",
           "--iodepth=64", "--size=64m", "--runtime=1000", "--no-store"]  # fmt: skip
    document = run([*job, "--format=json"]).check().json()
    figures = document["groups"][0]["read"]
    assert figures["bytes"] == 64 << 20
    assert 0.005 < figures["runtime_ns"] / 1e9 < 0.5
    page = run(job).check().out
    assert re.search(r"done +64 read \(67\.1 MB\) in \d+(\.\d+)? ms", page), page
