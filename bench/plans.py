#!/usr/bin/python3
"""The shipped plans at full length on simulated drives: `make plans-full`, or some of them by name.

Times are those of the plans; drives are a hundredth of their capacity (the state of a whole one would
be kept after each cell). Prints doc/speed.md's table: what a run of each costs in CPU.
"""

import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
CARD = "sim:pcie-mlc-1.2t,scale=100"
PLANS = {
    "cloud-disk": ["sim:cloud-efficient-100g", "--set", "product=efficient"],
    "cdm": ["sim:nvme-enterprise,scale=100", "--set", "mix=yes"],
    "pts-latency": [CARD],
    "over-provisioning": [CARD],
    "trim": [CARD],
    "curve": [CARD],
    "pts-throughput": [CARD],
    "pcie-ssd": [CARD],
    # Four fills of the whole card; of a hundredth of it they would be two minutes.
    "pts-wsat": [CARD, "--set", "fills=400"],
    "consistency": [CARD],
    "pts-iops": [CARD],
}
VERDICTS = (0, 1, 2)  # all checks pass, one fails, one cannot be told: the plan ran to its end


def go(plan: str, args: list[str], folder: str) -> str:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [REPO / "build/assay", "plan", "run", plan, *args, f"--store={folder}/r.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in VERDICTS or not re.search(r"state +done", done.stdout):
        sys.exit(f"{plan}: exit {done.returncode}: {done.stderr}{done.stdout[-500:]}")
    steady = ", ".join(re.findall(r"(?:Steady in round|not steady after) (\d+)", done.stdout))
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    took_s = time.monotonic() - start
    return f"| `{plan}` | `{args[0]}` | {steady or '–'} | {cpu_s:.0f} | {took_s:.0f} |"


def main() -> None:
    wanted = sys.argv[1:] or list(PLANS)
    print("| plan | drive | steady in round | CPU s | s |\n|---|---|---|---|---|", flush=True)
    for plan in wanted:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            print(go(plan, PLANS[plan], folder), flush=True)


if __name__ == "__main__":
    main()
