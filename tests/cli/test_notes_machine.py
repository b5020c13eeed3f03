"""Plausibility notes on the machine around the drive, by whole commands: each on a machine that
provokes it and on one that does not. What no file can say is skipped by name.
"""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import Running, run
from rigs.loop import Loop
from rigs.machine import CPU, PCI, POWER, Machine, over

CHANGES = {
    "governor": {
        f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
        f"{CPU}/cpu1/cpufreq/scaling_governor": "powersave",
    },
    "numa-distance": {f"{PCI}/numa_node": "1", f"{PCI}/nvme/nvme0/numa_node": "1"},
    "link-trained-down": {f"{PCI}/current_link_speed": "8.0 GT/s PCIe"},
    "on-battery": {f"{POWER}/AC/online": "0", f"{POWER}/BAT0/status": "Discharging"},
    "above-link": {
        f"{PCI}/{which}_link_{what}": value
        for which in ("current", "max")
        for what, value in (("speed", "2.5 GT/s PCIe"), ("width", "1"))
    },
}


@pytest.fixture(autouse=True)
def _program(assay: Path) -> None:
    """It must be built."""


def notes(args: list[str], **how: Any) -> dict[str, str]:
    answer = run(["run", "--format=json", "--name=j", *args], **how).json()
    return {note["id"]: note["text"] for note in answer["notes"]}


@pytest.mark.parametrize("note", CHANGES)
def test_the_machine(note: str, rig: Callable[..., Any]) -> None:
    machine = rig(Machine, CHANGES[note])
    words = [f"--filename={machine.dev}", "--rw=read", "--bs=1m", "--ioengine=psync"]
    if note == "above-link":
        words += ["--time_based", "--runtime=2"]
    assert note in notes(words, under=[machine.wrap])


def test_a_machine_of_which_there_is_nothing_to_say(rig: Callable[..., Any]) -> None:
    machine = rig(Machine)
    words = [f"--filename={machine.dev}", "--rw=read", "--bs=1m", "--ioengine=psync"]
    found = notes([*words, "--time_based", "--runtime=2"], under=[machine.wrap])
    assert not found.keys() & CHANGES.keys()


@pytest.mark.parametrize("others", [True, False])
def test_others_use_the_device_before_the_run(others: bool, rig: Callable[..., Any]) -> None:
    loop = rig(Loop, ram=True)
    words = [f"--filename={loop.dev}", "--rw=randread", "--direct=1", "--ioengine=psync",
             "--time_based", "--runtime=1", "--rate_iops=20"]  # fmt: skip
    load = ["fio", "--name=other", f"--filename={loop.dev}", "--rw=randread", "--direct=1",
            "--ioengine=psync", "--time_based", "--runtime=20", "--rate_iops=500"]  # fmt: skip
    with Running(load if others else ["--version"]) as running:
        time.sleep(0.5)
        found = notes(words)
        running.kill()
    assert ("other-io" in found) == others


@pytest.mark.parametrize("stolen", [True, False])
def test_steal(stolen: bool, tmp_path: Path, need: Callable[..., None]) -> None:
    """A hypervisor's theft, as /proc/stat tells it: the file changes while the command runs."""
    need(None if os.geteuid() == 0 else "needs root")
    stat = tmp_path / "stat"

    def tell(busy: int, stolen_ticks: int) -> None:
        line = f"{busy} 0 0 10000 0 0 0 {stolen_ticks} 0 0"
        with open(stat, "r+" if stat.exists() else "w", encoding="ascii") as file:
            file.write(f"cpu  {line}\ncpu0 {line}\n".ljust(200))

    tell(1000, 500)
    words = ["run", "--format=json", "--name=j", "--ioengine=null", "--size=1g", "--rw=read",
             "--time_based", "--runtime=2", "--rate_iops=100"]  # fmt: skip
    with Running(words, under=[partial(over, {stat: "/proc/stat"})]) as running:
        time.sleep(1)
        tell(1200, 550 if stolen else 500)
        answer = running.finish(20).check().json()
    found = {note["id"] for note in answer["notes"]}
    assert ("steal" in found) == stolen


@pytest.mark.parametrize("moved", [True, False])
def test_a_jump_of_the_wall_clock(moved: bool) -> None:
    """No namespace has a wall clock of its own: it is everybody's, and is moved (by 150 ms, and
    back) only where that was allowed.
    """
    if moved and not os.environ.get("ASSAY_TEST_CLOCK"):
        pytest.skip("the wall clock is everybody's: ASSAY_TEST_CLOCK=1 allows to move it")
    words = ["run", "--format=json", "--name=j", "--ioengine=null", "--size=1g", "--rw=read",
             "--time_based", "--runtime=2", "--rate_iops=100"]  # fmt: skip
    with Running(words) as running:
        time.sleep(1)
        if moved:
            time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns() + 150_000_000)
        try:
            answer = running.finish(20).check().json()
        finally:
            if moved:
                time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns() - 150_000_000)
    assert ("wall-clock-jump" in {note["id"] for note in answer["notes"]}) == moved
