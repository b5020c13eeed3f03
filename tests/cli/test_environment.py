"""The environment of a run: recorded unasked, and what changed meanwhile is told, live and from
the store.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigs.assay import Running, run
from rigs.held import wait_until
from rigs.loop import Loop
from rigs.scratch import Scratch


def reads(name: str) -> int:
    return int(Path(f"/sys/block/{name}/stat").read_text(encoding="ascii").split()[0])


def test_a_setting_that_changes_during_the_run_is_told(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=8 << 20, ram=True)
    store = f"--store={rig(Scratch).path}/results.db"
    setting = Path(f"/sys/block/{loop.name}/queue/nomerges")
    setting.write_text("0", encoding="ascii")  # of whoever had this device before
    args = [f"--filename={loop.dev}", "--rw=randread", "--name=a", "--time_based=1"]
    before = reads(loop.name)
    with Running(["run", *args, "--runtime=2s", "--format=json", store]) as running:
        # More than looking at the device takes: it measures, and has looked around before.
        assert wait_until(lambda: reads(loop.name) > before + 2000, 60)
        setting.write_text("2", encoding="ascii")
        answer = running.finish().check().json()
    setting.write_text("0", encoding="ascii")
    mine = answer["environment"][loop.name]
    assert mine["nomerges"] == ["0", "2"]
    assert mine["rq_affinity"] not in (None, [])
    assert answer["environment"]["host"]["kernel"] == Path(
        "/proc/sys/kernel/osrelease"
    ).read_text(encoding="ascii").strip()
    notes = [note["text"] for note in answer["notes"] if note["id"] == "environment-changed"]
    assert any(f'nomerges of {loop.name} was "0" and is "2";' in text for text in notes), notes
    again = run(["results", "show", "@last", "--format=json", store]).check().json()
    assert json.dumps(again["environment"]) == json.dumps(answer["environment"])


def test_an_undisturbed_run_has_no_such_note(rig: Callable[..., Any]) -> None:
    loop = rig(Loop, size=8 << 20, ram=True)
    args = [f"--filename={loop.dev}", "--rw=randread", "--name=a", "--no-store"]
    answer = run(["run", *args, "--io_size=1m", "--format=json"]).check().json()
    assert "environment-changed" not in [note["id"] for note in answer["notes"]]
    simulated = run(["run", "--filename=sim:sata-consumer,scale=1000", "--rw=read", "--name=a",
                     "--io_size=1m", "--format=json", "--no-store"]).check().json()
    assert simulated["environment"] == {}
