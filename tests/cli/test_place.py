"""Where and how workers run: CPUs, NUMA nodes, priorities, polling. The kernel is asked while they run;
what a machine lacks is skipped by name.
"""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rigs.assay import Running, run
from rigs.loop import Loop

JOB = ["run", "--format=json", "--name=placed", "--ioengine=null", "--size=1g", "--rw=read",
       "--rate_iops=100", "--time_based", "--runtime=20"]  # fmt: skip
CPUS = sorted(os.sched_getaffinity(0))
NODES = sorted(int(p.rsplit("node")[-1]) for p in glob.glob("/sys/devices/system/node/node[0-9]*"))


@pytest.fixture(autouse=True)
def _program(assay: Path) -> None:
    """It must be built."""


def workers(running: Running, count: int) -> list[int]:
    """Thread ids of the workers, which bear the job's name, once all have begun; by clone."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        found = []
        for pid in [str(running.pid), *children(running.pid)]:
            for task in Path(f"/proc/{pid}/task").iterdir():
                if (task / "comm").read_text().strip() == "placed":
                    found.append(int(task.name))
        if len(found) == count:
            time.sleep(0.1)  # the name is given first, the rest at once after it
            return sorted(found)
        time.sleep(0.05)
    raise AssertionError("no workers")


@contextlib.contextmanager
def placed(*words: str) -> Iterator[Running]:
    """The job runs until it was looked at, and reports then."""
    with Running([*JOB, *words]) as running:
        yield running
        running.signal(signal.SIGINT)
        running.finish(20).check(128 + signal.SIGINT)


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def status(tid: int, key: str) -> str:
    lines = Path(f"/proc/{tid}/status").read_text().splitlines()
    return next(line.split(":")[1].strip() for line in lines if line.startswith(key + ":"))


@pytest.mark.parametrize("thread", [1, 0])
def test_one_cpu(thread: int) -> None:
    with placed(f"--cpus_allowed={CPUS[-1]}", f"--thread={thread}") as running:
        assert status(workers(running, 1)[0], "Cpus_allowed_list") == str(CPUS[-1])


def test_a_cpu_for_each_clone() -> None:
    words = [f"--cpus_allowed={','.join(map(str, CPUS))}", "--cpus_allowed_policy=split"]
    count = min(len(CPUS), 4)
    with placed(*words, f"--numjobs={count}") as running:
        lists = [status(tid, "Cpus_allowed_list") for tid in workers(running, count)]
    assert lists == [str(cpu) for cpu in CPUS[:count]]


def test_a_cpu_that_is_not_there() -> None:
    result = run([*JOB, "--cpus_allowed=1023"]).check(6)
    assert "cpus_allowed" in result.err


@pytest.mark.skipif(not NODES, reason="no NUMA in this kernel")
def test_the_cpus_of_a_node() -> None:
    node = Path(f"/sys/devices/system/node/node{NODES[-1]}/cpulist").read_text().strip()
    with placed(f"--numa_cpu_nodes={NODES[-1]}") as running:
        assert status(workers(running, 1)[0], "Cpus_allowed_list") == node
    result = run([*JOB, f"--numa_cpu_nodes={NODES[-1] + 1}"]).check(6)
    assert "no such node" in result.err


def test_the_cpus_of_all_nodes() -> None:
    with placed("--numa_cpu_nodes=all") as running:
        listed = status(workers(running, 1)[0], "Cpus_allowed_list")
    assert listed == status(os.getpid(), "Cpus_allowed_list")


@pytest.mark.parametrize("policy", ["bind", "interleave"])
def test_memory_of_all_nodes(policy: str) -> None:
    if not os.path.exists("/proc/self/numa_maps"):
        pytest.skip("no NUMA in this kernel")
    with placed(f"--numa_mem_policy={policy}:all") as running:
        maps = Path(f"/proc/{workers(running, 1)[0]}/numa_maps").read_text()
    assert f"{policy}:{NODES[0]}" in maps


@pytest.mark.parametrize("policy", ["bind", "prefer", "interleave"])
def test_memory_of_a_node(policy: str) -> None:
    if not os.path.exists("/proc/self/numa_maps"):
        pytest.skip("no NUMA in this kernel")
    with placed(f"--numa_mem_policy={policy}:{NODES[-1]}") as running:
        maps = Path(f"/proc/{workers(running, 1)[0]}/numa_maps").read_text()
    assert f"{policy}:{NODES[-1]}" in maps.replace("prefer (many)", "prefer")
    result = run([*JOB, f"--numa_mem_policy={policy}:{NODES[-1] + 1}"])
    result.check(6)
    assert "numa_mem_policy" in result.err


def test_two_nodes_differ(rig: Callable[..., Any]) -> None:
    """On a machine of one node there is no other whose memory is farther."""
    if len(NODES) < 2:
        pytest.skip("one NUMA node")
    found = []
    for node in NODES[:2]:
        with placed(f"--numa_mem_policy=bind:{node}", "--bs=1m", "--iodepth=8") as running:
            maps = Path(f"/proc/{workers(running, 1)[0]}/numa_maps").read_text()
        found.append(f"N{node}=" in maps)
    assert all(found)


@pytest.mark.parametrize("thread", [1, 0])
def test_nice(thread: int) -> None:
    with placed("--nice=7", f"--thread={thread}") as running:
        tid = workers(running, 1)[0]
        assert os.getpriority(os.PRIO_PROCESS, tid) == 7
        if thread:  # a worker's alone
            assert os.getpriority(os.PRIO_PROCESS, running.pid) != 7


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--prio=3"], "best-effort: prio 3"),
        (["--prioclass=2", "--prio=5"], "best-effort: prio 5"),
        (["--prioclass=1", "--prio=2"], "realtime: prio 2"),
        (["--prioclass=3", "--prio=0"], "idle"),
    ],
)
def test_the_io_priority(words: list[str], says: str) -> None:
    if not shutil.which("ionice"):
        pytest.skip("no ionice")
    if "--prioclass=1" in words and os.geteuid() != 0:
        pytest.skip("the real-time class needs root")
    with placed(*words) as running:
        asked = ["ionice", "-p", str(workers(running, 1)[0])]
        assert subprocess.check_output(asked, text=True).strip() == says


def test_the_batch_scheduler() -> None:
    with placed("--sched_batch=1") as running:
        assert os.sched_getscheduler(workers(running, 1)[0]) == os.SCHED_BATCH


def test_polling(rig: Callable[..., Any]) -> None:
    """A device without queues to poll is told at the start; one that has them is read."""
    polled = [p.split("/")[3] for p in glob.glob("/sys/block/*/queue/io_poll")
              if Path(p).read_text().strip() == "1"]  # fmt: skip
    words = ["run", "--format=json", "--name=j", "--ioengine=io_uring", "--hipri=1", "--direct=1",
             "--rw=read", "--io_size=64k"]  # fmt: skip
    loop = rig(Loop, size=4 << 20)
    if loop.name not in polled:
        result = run([*words, f"--filename={loop.dev}"]).check(6)
        assert "polled" in result.err
    if not polled:
        pytest.skip("no device with poll queues")
    answer = run([*words, f"--filename=/dev/{polled[0]}"]).check().json()
    assert answer["groups"][0]["read"]["ios"] == 16
