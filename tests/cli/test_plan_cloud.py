"""What a provider sold against what a volume keeps up: simulated volumes, whose bucket is known."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rigs.assay import run

MIB = 1 << 20
# 2,600 IOPS and 115 MiB/s are what is sold of 100 GiB, and what the profile keeps up.
VOLUME = "sim:cloud-efficient-100g"
SOLD = 1800 + 8 * 100


@pytest.fixture
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins."""
    folder = tempfile.mkdtemp(prefix="assay-cloud-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def go(place: Path, volume: str, rc: int) -> dict:
    args = ["plan", "run", "cloud-disk", volume, "--scale=20", "--set", "product=efficient",
            f"--store={place}/r.db", "--no-report", "--format=json"]  # fmt: skip
    return run(args, env={"XDG_DATA_HOME": str(place)}).check(rc).json()


def cell(document: dict, step: str) -> dict:
    return next(s for s in document["steps"] if s["step"] == step)["cells"][0]


def verdict(document: dict, figure: str) -> dict:
    return next(v for v in document["verdicts"] if v["rule"].startswith(figure))


def test_a_burst_that_ends_within_the_run(place):
    """The mean of 100 s is 3,600; 2,600 stay. What the fit says of the bucket is its truth."""
    document = go(place, f"{VOLUME},iops_burst=5000,iops_credits=100000", 0)
    burst = cell(document, "burst")
    assert burst["all"]["ios_per_s"] > 1.1 * SOLD
    assert burst["base_ios_per_s"] == pytest.approx(SOLD, rel=0.005)
    assert burst["burst_ios_per_s"] == pytest.approx(5000, rel=0.005)
    assert burst["burst_s"] == pytest.approx(100000 / (5000 - SOLD), rel=0.02)
    assert burst["credits"] == pytest.approx(100000, rel=0.02)
    notes = next(s for s in document["steps"] if s["step"] == "burst")["notes"]
    assert any("as a token bucket" in note for note in notes)
    judged = verdict(document, "burst.iops")
    assert judged["outcome"] == "pass"
    assert judged["value"] == pytest.approx(SOLD, rel=0.005)
    assert re.search(r"after a burst at 5,000 for 4\d\S* s, 100\.\d % of what was sold: the throttle",
                     judged["text"])  # fmt: skip
    short = verdict(document, "rand_read.iops")  # lies within the burst as a whole
    assert short["outcome"] == "pass" and short["text"].endswith("more than that, a burst")


def test_a_burst_whose_mean_would_pass_and_whose_base_does_not(place):
    """1,000 stay of 2,600 that were sold; the mean of the whole run is above what was sold."""
    document = go(place, f"{VOLUME},iops_base=1000,iops_per_gib=0,iops_burst=5000,"
                         "iops_credits=300000", 1)  # fmt: skip
    assert cell(document, "burst")["all"]["ios_per_s"] > SOLD
    judged = verdict(document, "burst.iops")
    assert judged["outcome"] == "fail"
    assert judged["value"] == pytest.approx(1000, rel=0.005)


def test_a_burst_that_outlasts_the_run_cannot_be_told(place):
    """Also of a volume whose burst is the only thing that it has."""
    document = go(place, f"{VOLUME},iops_base=100,iops_per_gib=0,iops_burst=5000,"
                         "iops_credits=100000000", 2)  # fmt: skip
    judged = verdict(document, "burst.iops")
    assert judged["outcome"] == "cannot tell"
    assert "a burst whose end was not seen" in judged["text"]
    assert "for all of 100 s" in judged["text"]


def test_a_volume_that_never_bursts_and_the_corner_of_its_limits(place):
    """Of IOPS it keeps to what is sold; its profile has 115 MiB/s, and both meet at 45.3 KiB."""
    document = go(place, VOLUME, 0)
    burst = cell(document, "burst")
    assert burst["base_ios_per_s"] == pytest.approx(SOLD, rel=0.005)
    assert burst["burst_ios_per_s"] is None and burst["credits"] is None
    assert verdict(document, "burst.iops")["text"].endswith("the throttle, not the disk")
    corner = next(s for s in document["steps"] if s["step"] == "corner")["corner"]
    assert corner["has_both_limits"]
    assert corner["most_ios_per_s"] == pytest.approx(SOLD, rel=0.01)
    assert corner["block_bytes"] == pytest.approx(115 * MIB / SOLD, rel=0.02)
