"""The report of a day of seconds: 1 s of CPU to write it, and in a headless Chromium 1 s to the
first paint and 100 ms for a zoom of all charts. Prints a table for doc/speed.md; exit 1 where one
is missed, 0 without a browser, which is said.
"""

import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "tests"))
from rigs import browser  # noqa: E402

BUILD = Path(os.environ.get("ASSAY_BUILD", REPO / "build"))
PAGE = BUILD / "report-day.html"
TIMES = 3


def main() -> int:
    cpu = min(float(subprocess.run([BUILD / "bench" / "report_day", PAGE], check=True, text=True,
                                   capture_output=True).stdout) for _ in range(TIMES))  # fmt: skip
    lines = [("written, s of CPU", cpu, 1.0), ("size, MB", PAGE.stat().st_size / 1e6, 3.0)]
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
