#!/usr/bin/python3
"""The shipped plans at full length on simulated drives: `make plans-full`, or some of them by name.

Times are those of the plans; drives are a hundredth of their capacity (the state of a whole one would
be kept after each cell). fs-vs-raw needs a block device, and runs on a drive that is served and made one
by losetup: in real time, half an hour, and as root. Prints doc/speed.md's table: what a run of each costs in CPU.
"""

import contextlib
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
SERVED = "fs-vs-raw"
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
    SERVED: ["nvme-enterprise,size=24g", "--set", "range=36%"],
}
VERDICTS = (0, 1, 2)  # all checks pass, one fails, one cannot be told: the plan ran to its end


def cpu_s() -> float:
    """Of the programs that have ended: a plan's, a server's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def go(plan: str, args: list[str], folder: str) -> str:
    """What its output says of steady states."""
    command = [REPO / "build/assay", "plan", "run", plan, *args, f"--store={folder}/r.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in VERDICTS or not re.search(r"state +done", done.stdout):
        sys.exit(f"{plan}: exit {done.returncode}: {done.stderr}{done.stdout[-500:]}")
    return ", ".join(re.findall(r"(?:Steady in round|not steady after) (\d+)", done.stdout))


@contextlib.contextmanager
def served(profile: str, folder: str) -> Iterator[str]:
    """A block device of a simulated drive; its contents lie in the folder."""
    mount = Path(folder) / "mnt"
    mount.mkdir()
    command = [REPO / "build/assay", "sim", "serve", profile, mount, f"--backing={folder}/contents"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            if not server.stdout or "simulated" not in server.stdout.readline():
                sys.exit(f"assay sim serve {profile}: it did not start")
            device = subprocess.run(["losetup", "-f", "--show", "--direct-io=on", mount / "disk"],
                                    check=True, capture_output=True, text=True).stdout.strip()
            try:
                yield device
            finally:
                subprocess.run(["losetup", "-d", device], check=True)
        finally:
            server.terminate()


def main() -> None:
    wanted = sys.argv[1:] or list(PLANS)
    print("| plan | drive | steady in round | CPU s | s |\n|---|---|---|---|---|", flush=True)
    for plan in wanted:
        args = PLANS[plan]
        place = "/var/tmp" if plan == SERVED else "/dev/shm"  # contents are kept, gigabytes of them
        with tempfile.TemporaryDirectory(dir=place) as folder:
            before, start = cpu_s(), time.monotonic()
            with served(args[0], folder) if plan == SERVED else contextlib.nullcontext(args[0]) as drive:
                steady = go(plan, [drive, *args[1:]], folder)
            took = f"{cpu_s() - before:.0f} | {time.monotonic() - start:.0f}"
            print(f"| `{plan}` | `{args[0]}` | {steady or '–'} | {took} |", flush=True)


if __name__ == "__main__":
    main()
