"""The report of a day of seconds out of a store: 1 s of CPU and 64 MB of memory to write it, 3 MB,
and in a headless Chromium 1 s to the first paint and 100 ms for a zoom of all charts. Prints a table
for doc/speed.md; exit 1 where one is missed, 0 without a browser, which is said.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "tests"))
from rigs import browser  # noqa: E402

BUILD = Path(os.environ.get("ASSAY_BUILD", REPO / "build"))
BENCH = BUILD / "bench"
PAGE = BUILD / "report-day.html"
TIMES = 7


def write(store: Path, told: Path) -> tuple[float, float]:
    """Seconds of CPU, and the peak of memory in MiB, of the whole program."""
    subprocess.run([BENCH / "meter", told, "0", "-", BUILD / "assay", "report", "r1", "-o", PAGE,
                    f"--store={store}"], check=True)  # fmt: skip
    _, user_us, system_us, peak_kib = map(int, told.read_text().split())
    return (user_us + system_us) / 1e6, peak_kib / 1024


def main() -> int:
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        store = Path(folder) / "day.db"
        subprocess.run([BENCH / "report_day", store], check=True)
        costs = [write(store, Path(folder) / "told") for _ in range(TIMES)]
    lines = [("written, s of CPU", min(cpu for cpu, _ in costs), 1.0),
             ("memory of the program, MiB", max(peak for _, peak in costs), 64.0),
             ("size, MB", PAGE.stat().st_size / 1e6, 3.0)]  # fmt: skip
    reason = browser.why_not()
    if reason:
        print(f"not looked at in a browser: {reason}")
    else:
        looks = [{"path": str(PAGE), "zoom": zoom}
                 for zoom in ([20_000, 60_000], [54_000, 54_600], [0, 86_400])]  # fmt: skip
        seen = browser.look(looks)
        lines.append(("first paint, ms", min(page["paint_ms"] for page in seen), 1000))
        for look, page in zip(looks, seen, strict=True):
            span = f"zoom to {look['zoom'][1] - look['zoom'][0]:,} s"
            lines += [(f"{span}, charts in view, ms", page["zoom_ms"], 100),
                      (f"{span}, all charts, ms", page["zoom_all_ms"], 100)]  # fmt: skip
    print("\n| report of 24 hours | measured | at most |\n|---|---:|---:|")
    for name, value, bound in lines:
        print(f"| {name} | {value:.3g} | {bound:g} |")
    return int(any(value > bound for _, value, bound in lines))


if __name__ == "__main__":
    sys.exit(main())
