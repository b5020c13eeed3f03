"""The store's budgets: 10 million rows list and compare in 1 s; 24 h of one-second histograms of
8 jobs take 200 MB at most. Prints a table for doc/speed.md; exit 1 where one is missed.

--rows=N fills less, for a quick look.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("ASSAY_BUILD", Path(__file__).resolve().parents[1] / "build"))
FILL = BUILD / "bench" / "store_fill"
SECONDS_A_RUN = 10_000
DAY = 86_400


def seconds(*args: str) -> float:
    """The best of three, wall time."""
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run([BUILD / "assay", *args], check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - start)
    return min(times)


def main() -> int:
    rows = next((int(a.split("=")[1]) for a in sys.argv if a.startswith("--rows=")), 10_000_000)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        runs = rows // SECONDS_A_RUN
        store = f"--store={folder}/rows.db"
        subprocess.run([FILL, f"{folder}/rows.db", str(runs), str(SECONDS_A_RUN)], check=True)
        listed = seconds("results", "list", store)
        compared = seconds("compare", "r1", f"r{runs}", store)
        subprocess.run([FILL, f"{folder}/day.db", "1", str(DAY), "8"], check=True)
        mb = (Path(folder) / "day.db").stat().st_size / 1e6
    lines = [
        (f"list {runs:,} runs of {rows:,} rows", listed, 1.0, "s"),
        ("compare two of them", compared, 1.0, "s"),
        ("24 h of one-second histograms of 8 jobs", mb, 200.0, "MB"),
    ]
    for name, value, limit, unit in lines:
        print(f"| {name} | {value:.3g} {unit} | at most {limit:g} {unit} |")
    return int(any(value > limit for _, value, limit, _ in lines))


if __name__ == "__main__":
    sys.exit(main())
