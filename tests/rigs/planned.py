"""What tests of plans ask of a store in their folder: `place / "data"` is its XDG_DATA_HOME."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from .assay import run


def environment(place: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(place / "data")}


def show(place: Path, plan: str = "@plan") -> Any:
    """The plan's JSON, or None while there is no such plan."""
    result = run(["results", "show", plan, "--format=json"], cwd=place, env=environment(place))
    return json.loads(result.out) if result.rc == 0 else None


def wait_for(place: Path, entries: int, plan: str = "@plan", limit_s: float = 30) -> None:
    """Until the plan's journal is so long."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        document = show(place, plan)
        if document and len(document["journal"]) >= entries:
            return
        time.sleep(0.02)
    pytest.fail(f"{entries} entries do not come")


def figures(document: Any, last: str) -> tuple[Any, ...]:
    """All that was measured, without ids and times of day; `last` is one part more."""
    for entry in document["journal"]:
        entry.pop("run")
        for health in entry["health"]:
            health["before"].pop("at_unix_ns")
            health["after"].pop("at_unix_ns")
    return document["journal"], document["steps"], document["rounds"], document[last]


def held_against(estimate: Any, document: Any) -> list[str]:
    """What an estimate (`plan estimate --format=json`) said of the steps that were carried out, and
    where the journal tells otherwise: bytes written, and runs. What a drive writes in a given time
    is more than a sanitizer can ask of it in the first milliseconds: then only sizes are held.
    """
    slowed = float(os.environ.get("ASSAY_TEST_PATIENCE") or 1) > 1
    wrong = []
    for said in estimate["targets"][0]["steps"]:
        done = [entry for entry in document["journal"] if entry["step"] == said["step"]]
        if any(entry["state"] == "skipped" for entry in done):
            continue  # what it needs had failed
        written = sum(entry["written_bytes"] for entry in done)
        most = said["most_written_bytes"] if said["most_is_known"] else written
        least = said["least_written_bytes"]
        if slowed and least != said["most_written_bytes"]:
            least = 0
        if not least <= written <= most:
            wrong.append(f"{written} bytes: {said}")
        if not said["least_runs"] <= len(done) <= said["most_runs"]:
            wrong.append(f"{len(done)} runs: {said}")
    return wrong
