"""SCHED_FIFO for both ends of a modelled device, so that a busy machine does not show in the
latencies.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

MODEL_PRIORITY = 20  # the device comes before what loads it
LOAD_PRIORITY = 10


def why_not() -> str | None:
    if not shutil.which("chrt"):
        return "no chrt"
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(LOAD_PRIORITY))
        os.sched_setscheduler(0, policy, param)
    except PermissionError:
        return "no real-time priority"
    return None


def fifo(argv: Sequence[str | Path], priority: int = LOAD_PRIORITY) -> list[str]:
    """The command that runs argv under SCHED_FIFO. Only for programs that sleep: a spinning one
    takes the core.
    """
    return ["chrt", "-f", str(priority), *map(str, argv)]


def fifo_if_allowed(argv: Sequence[str | Path], priority: int = LOAD_PRIORITY) -> list[str]:
    return list(map(str, argv)) if why_not() else fifo(argv, priority)
