"""What the report of 24 hours takes: the whole program, on a store that holds a row and a histogram
for each second and direction, and what the machine was asked every second.
"""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rigs import places
from rigs.assay import ASSAY

BENCH = places.BUILD / "bench"
PAGE_BYTES_MAX = 3_000_000
MEMORY_KIB_MAX = 64 * 1024
DAY = ["--filename=sim:sata-tlc-128g,scale=1000", "--name=day", "--rw=randrw", "--bs=4k",
       "--iodepth=2", "--numjobs=2", "--rate_iops=2,2", "--runtime=24h", "--time_based=1"]  # fmt: skip


def write(folder: Path, *what: Any) -> tuple[int, str]:
    """Its peak of memory, in KiB, and the page. The meter is small: a child's peak is its parent's
    at least.
    """
    page, told = folder / "day.html", folder / "told"
    what = what or ("r1", f"--store={folder / 'day.db'}")
    subprocess.run([BENCH / "meter", told, "0", "-", ASSAY, "report", *what, "-o", page],
                   check=True, timeout=60)  # fmt: skip
    return int(told.read_text().split()[3]), page.read_text()


@pytest.mark.long_cpu
class TestDay:
    def test_a_day_of_seconds_takes_3_mb_and_64_mb_of_memory(self, scratch: Any, assay: Path):
        """Two directions that scatter more than those of any drive; all workers' histograms."""
        subprocess.run([BENCH / "report_day", scratch.path / "day.db"], check=True, timeout=60)
        peak_kib, page = write(scratch.path)
        assert peak_kib <= MEMORY_KIB_MAX
        assert len(page.encode()) <= PAGE_BYTES_MAX
        for figure in ("iops", "latency-write", "field-read", "field-write", "power"):
            assert f'<figure id="{figure}"' in page

    def test_a_simulated_day_too(self, scratch: Any, assay: Path):
        subprocess.run([ASSAY, "run", *DAY, f"--store={scratch.path / 'day.db'}"], check=True,
                       timeout=60, stdout=subprocess.DEVNULL)  # fmt: skip
        peak_kib, page = write(scratch.path)
        assert peak_kib <= MEMORY_KIB_MAX
        assert len(page.encode()) <= PAGE_BYTES_MAX
        for figure in ("iops", "latency-write", "field-read", "field-write"):
            assert f'<figure id="{figure}"' in page

    def test_a_day_of_logged_requests_with_its_worst_seconds_close_up_too(self, scratch: Any, assay: Path):
        """Both directions scatter. In each hour a crowd of three seconds, 3000 requests a second, with
        the slowest in its middle: every bin of 10 ms there has values of its own.
        """
        rng, log = random.Random(10), scratch.path / "day_lat.1.log"
        with log.open("w") as lines:
            for second in range(86_400):
                crowded = -1 <= second % 3600 - 1800 <= 1
                for i in range(3000 if crowded else 6):
                    worst = second % 3600 == 1800 and i == 1500
                    latency = 500_000_000 + second if worst else int(rng.lognormvariate(12, 0.8))
                    lines.write(f"{second * 1000 + (i // 3 if crowded else i * 150) + 1}, {latency}, "
                                f"{i % 2}, 4096, 0\n")  # fmt: skip
        peak_kib, page = write(scratch.path, log)
        assert '"fine":' in page
        assert len(page.encode()) <= PAGE_BYTES_MAX
        assert peak_kib <= MEMORY_KIB_MAX
