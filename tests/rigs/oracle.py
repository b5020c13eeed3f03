"""Debian's fio as the yardstick: the same arguments through both programs, and what of the
answers must agree.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .assay import FIO_FACE, Result, run

ORACLE = Path("/usr/bin/fio")

DIRECTIONS = ("read", "write", "trim")
EXACT = ("io_bytes", "total_ios", "short_ios", "drop_ios")


def why_not() -> str | None:
    return None if shutil.which(str(ORACLE)) else "no Debian fio"


def fio(args: Sequence[str | Path], **how: Any) -> Result:
    """Debian's fio with JSON on stdout; `how` as in assay.run."""
    return run(["--output-format=json", "--eta=never", *args], **{"program": ORACLE, **how})


@dataclass(frozen=True)
class Pair:
    ours: Result
    theirs: Result

    def differences(self, keys: Iterable[str] = EXACT) -> list[str]:
        return differences(self.ours.json(), jobs_json(self.theirs), keys)


def both(
    args: Sequence[str | Path],
    *,
    prepare: Callable[[], object] = lambda: None,
    program: str | Path = FIO_FACE,
    **how: Any,
) -> Pair:
    """Runs both programs, one after the other; prepare puts the target in the same state before
    each.
    """
    prepare()
    theirs = fio(args, **how)
    prepare()
    return Pair(fio(args, program=program, **how), theirs)


def jobs_json(result: Result) -> Any:
    """As Result.json, but forgives the lines that fio prints on stdout before and after its JSON.
    """
    start, end = re.search(r"^\{", result.out, re.M), result.out.rfind("\n}")
    assert start and end > 0, f"no JSON: {result}"
    return Result(result.argv, result.rc, result.out[start.start() : end + 2], result.err, 0).json()


def facts(answer: Any, keys: Iterable[str] = EXACT) -> dict[str, Any]:
    """What two honest programs must agree on, by "job/direction/key"; "job/error" always."""
    found: dict[str, Any] = {}
    keys = tuple(keys)
    for number, job in enumerate(answer["jobs"]):
        name = f"{number}:{job['jobname']}"
        found[f"{name}/error"] = job["error"]
        for direction in DIRECTIONS:
            for key in keys:
                found[f"{name}/{direction}/{key}"] = job[direction][key]
    return found


def differences(ours: Any, theirs: Any, keys: Iterable[str] = EXACT) -> list[str]:
    """One line for each fact that differs; empty if all agree."""
    keys = tuple(keys)
    a, b = facts(ours, keys), facts(theirs, keys)
    differ = [k for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)]
    return [f"{k}: ours {a.get(k)}, fio's {b.get(k)}" for k in differ]


def runtimes_ms(answer: Any, direction: str) -> list[int]:
    return [job[direction]["runtime"] for job in answer["jobs"]]


def iops(answer: Any, direction: str) -> float:
    """Of all jobs together, from counts and the longest runtime, not from what the program calls
    its IOPS.
    """
    total = sum(job[direction]["total_ios"] for job in answer["jobs"])
    return total * 1000 / max(runtimes_ms(answer, direction))


def clat_ns(answer: Any, direction: str, percent: float, job: int = 0) -> float:
    return answer["jobs"][job][direction]["clat_ns"]["percentile"][f"{percent:.6f}"]


def shape(value: Any, path: str = "") -> list[str]:
    """The keys of a JSON answer in their order, lists as [], histogram bins and percentiles as #:
    compare two with == to hold the layout of one against the other.
    """
    if isinstance(value, dict):
        if value and all(re.fullmatch(r"[\d.]+", key) for key in value):
            return [path + "/#"]
        paths = [(f"{path}/{key}", inner) for key, inner in value.items()]
        return [p for name, inner in paths for p in [name, *shape(inner, name)]]
    if isinstance(value, list):
        return [p for v in value[:1] for p in shape(v, path + "[]")]
    return []
