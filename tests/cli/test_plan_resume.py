"""The shipped qualification, killed and resumed: the same matrix as in one go."""

import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rigs.assay import ASSAY, run
from rigs.held import wait_until
from rigs.planned import figures

DRIVE = "sim:pcie-mlc-1.2t"
KILLS = 20


@pytest.fixture
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins."""
    folder = tempfile.mkdtemp(prefix="assay-kill-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def cells_kept(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            return db.execute("SELECT count(*) FROM plan_cells").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # it is not made yet


def start(place: Path, *args: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([ASSAY, "plan", *args, f"--store={place}/killed.db", "--no-report"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env={"XDG_DATA_HOME": str(place)})  # fmt: skip


@pytest.mark.long_cpu
@pytest.mark.parametrize("seed", [1])
def test_pcie_ssd_killed_at_twenty_random_points_has_the_same_matrix(place, seed):
    """Each kill falls after a random number of kept cells, and a random moment into the next one."""
    env = {"XDG_DATA_HOME": str(place)}
    whole = run(["plan", "run", "pcie-ssd", DRIVE, "--scale=2000", f"--store={place}/whole.db",
                 "--no-report", "--format=json"], env=env).check().json()  # fmt: skip
    total, chance = len(whole["journal"]), random.Random(seed)
    assert total == 54
    process = start(place, "run", "pcie-ssd", DRIVE, "--scale=2000")
    for point in sorted(chance.sample(range(1, total - 1), KILLS)):
        assert wait_until(lambda point=point: cells_kept(place / "killed.db") >= point, 60)
        time.sleep(chance.uniform(0, 0.02))
        assert process.poll() is None  # it had not come to its end
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(place, "resume")
    assert process.wait() == 0
    shown = run(["results", "show", "p1", f"--store={place}/killed.db", "--format=json"],
                env=env).check().json()  # fmt: skip
    assert len(shown["journal"]) == total
    assert figures(shown, "verdicts") == figures(whole, "verdicts")
