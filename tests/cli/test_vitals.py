"""What the machine and the drives were like while a run went on: kept, and drawn on its time."""

import json
import re

from rigs.assay import run

SIM = ["--filename=sim:nvme-enterprise,size=64m", "--size=64m", "--rw=write", "--bs=128k",
       "--rate_iops=4000", "--runtime=12s", "--time_based=1"]


def channels(document):
    return {(c["kind"], c["name"]): c["values"] for c in document["vitals"]["channels"]}


def test_a_simulated_drive_tells_its_models_temperature(assay, scratch):
    db = f"--store={scratch.path}/db"
    answer = run(["run", *SIM, db, "--format=json"], program=assay).check(0).json()
    (found,) = channels(answer).items()
    assert found[0] == ("temperature", "sim:nvme-enterprise,size=64m")
    assert len(found[1]) == 12
    assert found[1][-1] > found[1][0] >= 35
    again = run(["run", *SIM, db, "--format=json"], program=assay).check(0).json()
    assert again["vitals"] == answer["vitals"]
    lines = run(["results", "sql", db, "SELECT value FROM vitals WHERE run = 'r1' ORDER BY second"],
                program=assay).check(0).out.split("\n")[1:-1]
    assert [float(line) for line in lines] == found[1]


def test_it_is_drawn_in_every_format_of_a_kept_run(assay, scratch):
    db = f"--store={scratch.path}/db"
    run(["run", *SIM, db], program=assay).check(0)
    pages = {}
    for ending in ("txt", "md", "csv", "html"):
        file = scratch.path / f"page.{ending}"
        run(["report", "r1", db, "--lang=en", "-o", str(file)],
            program=assay).check(0)
        pages[ending] = file.read_text()
        assert "Temperature of the drives (simulated)" in pages[ending]
    assert '<figure id="temperature"' in pages["html"]
    rows = re.findall(r"^(\d+\.5),(3\d\.\d+|4\d(?:\.\d+)?|3\d)$", pages["csv"], re.M)
    assert len(rows) == 12


def test_a_real_run_has_the_use_of_each_cpu_and_an_export_carries_it(assay, scratch):
    db = f"--store={scratch.path}/db"
    job = ["run", "--ioengine=null", "--size=1g", "--rw=read", "--bs=4k", "--rate_iops=100",
           "--runtime=2200ms", "--time_based=1", db, "--format=json"]
    answer = run(job, program=assay).check(0).json()
    found = channels(answer)
    assert answer["vitals"]["step_ns"] == 10**9
    for key in (("cpu", "all"), ("cpu", "busiest"), ("steal", "all"), ("interrupts", "all")):
        assert 1 <= len(found[key]) <= 2
        assert all(value is None or value >= 0 for value in found[key])
    export = scratch.path / "export.json"
    run(["results", "export", "r1", db, "-o", str(export)], program=assay).check(0)
    assert json.loads(export.read_text())["records"][0]["runs"][0]["result"]["vitals"] == answer["vitals"]
    page = run(["report", str(export), "--lang=en"], program=assay).check(0).out
    assert "CPU use (percent)" in page
    assert "Interrupts (per second)" in page


def test_fios_face_asks_nothing(fio_face):
    out = run(["--name=j", "--ioengine=null", "--size=1g", "--rw=read", "--runtime=1", "--time_based=1",
               "--rate_iops=10", "--output-format=json"], program=fio_face).check(0).out
    assert "vitals" not in out
