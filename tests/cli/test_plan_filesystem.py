"""Steps through a file system: made and mounted by the plan, unmounted whatever comes."""

import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import ASSAY, run
from rigs.loop import Loop
from rigs.served import Served

MIB = 1 << 20
PLAN = """
[global]
ioengine=psync
direct=1
size=4m
[one]
step=sweep
filesystem=ext4
mkfs_options=-b 1024
mount_options=noatime
rw=randread
sweep=bs=4k,8k
runtime=TIME
time_based
[two]
step=run
rw=read
bs=64k
[three]
step=run
filesystem=btrfs
rw=read
[four]
step=run
needs=three
rw=read
"""

RATIO = """
[global]
direct=1
size=2m
bs=64k
number_ios=16
[raw]
step=sweep
sweep=rw=write,read
[ext4]
step=sweep
filesystem=ext4
against=raw
sweep=rw=write,read
"""


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="assay-fs-", dir="/dev/shm"))
    (folder / "small.plan").write_text(PLAN.replace("TIME", "50ms"))
    yield folder
    shutil.rmtree(folder)


def environment(place: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(place / "data")}


def go(place: Path, *args: str, rc: int = 0):
    return run(args, cwd=place, env=environment(place), timeout=60).check(rc)


def show(place: Path):
    result = run(["results", "show", "@plan", "--format=json"], cwd=place, env=environment(place))
    return json.loads(result.out) if result.rc == 0 else None


def is_mounted(device: str) -> bool:
    return any(line.split()[0] == device for line in Path("/proc/mounts").read_text().splitlines())


def wait_for(what) -> None:
    deadline = time.monotonic() + 30
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_file_system_is_made_used_and_unmounted(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 * MIB, ram=True)
    document = go(place, "plan", "run", "./small.plan", loop.dev, "--format=json").json()
    states = [(entry["step"], entry["state"]) for entry in document["journal"]]
    # 32 MiB are too few for btrfs: left out with its reason, and so is what needs it.
    assert states == [("one", "done"), ("one", "done"), ("two", "done"), ("three", "skipped"),
                      ("four", "skipped")]
    notes = {step["step"]: step["notes"] for step in document["steps"]}
    assert re.match(r"mke2fs 1\.\S+ .*: mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,"
                    rf"lazy_journal_init=0 -L assay-\w{{6}} -b 1024 {loop.dev}; mounted with rw,noatime",
                    notes["one"][0])  # fmt: skip
    assert notes["one"][1].startswith("mounted with rw,noatime")  # the same one, for its second cell
    assert notes["three"][0].startswith("not done: mkfs.btrfs: ")
    assert not is_mounted(loop.dev)
    assert not Path("/run/assay", loop.name).exists()
    assert not list((place / "data/assay").glob("undo/*"))
    superblock = Path(loop.dev).read_bytes()[1024:2048]
    assert superblock[56:58] == b"\x53\xef"  # ext4's magic
    assert int.from_bytes(superblock[24:28], "little") == 0  # blocks of 1024


def test_it_destroys_the_device_though_its_jobs_only_read(rig: Any, place: Path) -> None:
    loop = rig(Loop, 32 * MIB, ram=True)
    with open(loop.dev, "r+b") as device:
        device.write(b"somebody's only copy" * 1000)
    refused = go(place, "plan", "run", "./small.plan", loop.dev, rc=5)
    assert "all data on" in refused.err
    assert Path(loop.dev).read_bytes()[:8] == b"somebody"
    token = refused.err.split("--destroy=")[1].split()[0].rstrip(".")
    go(place, "plan", "run", "./small.plan", loop.dev, f"--destroy={token}")


def test_it_takes_a_device(place: Path) -> None:
    (place / "f").write_bytes(b"")
    for target, what in (("sim:nvme-enterprise,scale=4000", "a simulated drive"), ("./f", "a file")):
        refused = go(place, "plan", "run", "fs-vs-raw", target, rc=4).err
        assert f'takes a block device, and "{target}" is {what}' in refused
        assert "losetup -f --show --direct-io=on" in refused
        assert ("`assay sim serve nvme-enterprise,scale=4000 FOLDER`" in refused) == (what != "a file")
        assert go(place, "plan", "estimate", "fs-vs-raw", target, rc=4).err == refused
    for word in ("show", "check"):
        shown = go(place, "plan", word, "fs-vs-raw").out
        assert "through btrfs, made for it; rw write,read: 2 cells" in shown
        assert "which takes root and a block device." in " ".join(shown.split())
    assert "file systems" not in go(place, "plan", "show", "curve").out


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_plan_that_is_cut_off_leaves_no_mount(rig: Any, place: Path, how: signal.Signals) -> None:
    """After a signal it is unmounted at once, after a kill by the next command, which says so."""
    loop = rig(Loop, 32 * MIB, ram=True)
    (place / "small.plan").write_text(PLAN.replace("TIME", "1s"))
    process = subprocess.Popen([ASSAY, "plan", "run", "./small.plan", loop.dev], cwd=place,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **environment(place)})
    wait_for(lambda: is_mounted(loop.dev))
    process.send_signal(how)
    process.wait()
    assert is_mounted(loop.dev) == (how == signal.SIGKILL)
    if how == signal.SIGKILL:
        said = go(place, "results", "list").err
        assert f"{loop.dev}: the file system of a run that was cut off is unmounted" in said
        assert not is_mounted(loop.dev)
    assert show(place)["state"] != "done"
    document = go(place, "plan", "resume", "--format=json").json()
    assert document["state"] == "done"
    assert not is_mounted(loop.dev)


def statistics_of(document: dict[str, Any], step: str, cell: str, figure: str) -> list[float]:
    return [entry["all"][figure] for entry in document["journal"]
            if entry["step"] == step and entry["cell"] == cell]  # fmt: skip


def test_ratios_raw_to_file_system(rig: Any, place: Path) -> None:
    """Of the geometric means of three repetitions, with Student's interval; repetitions after the
    first find the plan's own file system on the device, which needs no consent."""
    (place / "ratio.plan").write_text(RATIO)
    loop = rig(Loop, 32 * MIB, ram=True)
    document = go(place, "plan", "run", "./ratio.plan", loop.dev, "--repeat=3", "--format=json").json()
    assert document["state"] == "done"
    ratios = [r for r in document["ratios"] if r["figure"] == "ios_per_s"]
    assert [(r["base"], r["step"], r["cell"], r["runs"]) for r in ratios] == [
        ("raw", "ext4", f"rw={rw}", 3) for rw in ("write", "read")]  # fmt: skip
    for ratio in ratios:
        logs = [[math.log(v) for v in statistics_of(document, step, ratio["cell"], "ios_per_s")]
                for step in ("raw", "ext4")]  # fmt: skip
        assert ratio["base_to_step"] == pytest.approx(
            math.exp(statistics.mean(logs[0]) - statistics.mean(logs[1])),
            rel=5e-6)  # JSON has six digits
        assert ratio["low"] < ratio["base_to_step"] < ratio["high"]
    page = go(place, "results", "show", "@plan").out
    shown = re.search(rf"rw=read +iops +{ratios[1]['base_to_step']:.3g} \(", page)
    assert shown, page


def assert_shipped_plan_runs(place: Path, device: str) -> None:
    """What is installed here: each has its figures, its mkfs and its mount options in the page."""
    out = go(place, "plan", "run", "fs-vs-raw", device, "--set", "size=4m", "--set", "time=30ms",
             "--set", "range=5%").out  # fmt: skip
    assert re.search(r"state +done", out)
    journal = show(place)["journal"]
    for system in ("ext4", "xfs", "btrfs"):
        cells = [e for e in journal if e["step"].startswith(system)]
        if shutil.which(f"mkfs.{system}", path="/usr/sbin:/sbin:/usr/bin") is None:
            assert {e["state"] for e in cells} == {"skipped"}
            continue
        assert len(cells) == 7
        assert {e["state"] for e in cells} == {"done"}
        assert f"mkfs.{system} -q" in out
        assert re.search(rf"figure +.*: {system}-random", out)
    assert not is_mounted(device)


def test_the_shipped_plan_runs_on_a_loop_device(rig: Any, place: Path) -> None:
    assert_shipped_plan_runs(place, rig(Loop, 320 * MIB, ram=True).dev)


def test_the_shipped_plan_runs_on_a_simulated_drive_that_is_served(rig: Any, place: Path) -> None:
    served = rig(Served, "nvme-enterprise,size=320m")
    assert_shipped_plan_runs(place, rig(Loop, backing=served.file, direct_io=True).dev)
    assert served.health()["host_written_bytes"] > 64 * MIB
