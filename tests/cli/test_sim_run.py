"""Runs on simulated drives by whole commands: virtual time, the same result each time."""

import json
import re
import sqlite3
from pathlib import Path

import pytest
from rigs.assay import run


def figures(document):
    """All that a run measured: everything but the hour it ran at and the machine."""
    return {key: document[key] for key in ("groups", "series", "span_ns")}


JOB = ["--filename=sim:nvme-enterprise,size=1g", "--rw=randrw", "--bs=4k", "--iodepth=8",
       "--numjobs=2", "--runtime=2s", "--time_based=1", "--format=json"]


def test_same_seed_same_result_to_the_last_digit(assay):
    one, two = (json.loads(run(["run", *JOB], program=assay).check(0).out) for _ in range(2))
    assert figures(one) == figures(two)
    assert one["simulated"] is True


def test_another_seed_gives_another_result(assay):
    one = json.loads(run(["run", *JOB], program=assay).check(0).out)
    two = json.loads(run(["run", *JOB, "--randseed=99"], program=assay).check(0).out)
    assert figures(one) != figures(two)


def test_the_title_says_simulated(assay):
    out = run(["run", *JOB[:-2]], program=assay).check(0).out
    assert "simulated" in out.splitlines()[0]
    out = run(["quick", "sim:nvme-enterprise,scale=100", "--time=200ms"], program=assay).check(0).out
    assert "simulated" in out.splitlines()[0]


def test_the_scale_and_the_drives_log_are_in_the_report(assay):
    job = ["run", "--filename=sim:pcie-mlc-1.2t,scale=100", "--rw=randwrite", "--bs=4k",
           "--number_ios=5000"]
    page = run(job, program=assay).check(0).out
    assert "one part in 100 of the capacity" in " ".join(page.split())
    again = run(["results", "show", "@last"], program=assay).check(0).out
    for line in ("scale=100:", "drive's log  0 B read, 20.5 MB written"):
        assert line in page
        assert line in again
    answer = run([*job, "--format=json"], program=assay).check(0).json()
    target = answer["targets"][0]
    assert target["simulated"]["scale"] == 100
    assert target["simulated"]["host_written_bytes"] == 5000 * 4096
    assert target["size_bytes"] * 100 <= 1_200_000_000_000 < (target["size_bytes"] + 4096) * 100


def test_a_long_run_tells_its_cpu_time_before_it_starts(assay):
    job = ["run", "--filename=sim:pcie-mlc-1.2t,scale=100", "--rw=randwrite", "--bs=4k",
           "--iodepth=32", "--time_based"]
    told = run([*job, "--runtime=60s"], program=assay, timeout=120).check(0)
    found = re.fullmatch(r"assay: simulating this takes about (\d+) s of CPU time\n", told.err)
    assert found, told.err
    assert told.cpu_s / 2 < int(found[1]) < told.cpu_s * 2
    assert run([*job, "--runtime=1s"], program=assay).check(0).err == ""


def test_a_throttle_gives_what_it_is_set_to(assay):
    out = run(["run", "--filename=sim:cloud-ssd-100g", "--size=1g", "--rw=randread", "--bs=4k",
                 "--iodepth=128", "--runtime=20s", "--time_based=1", "--format=json"], program=assay).check(0).out
    group = json.loads(out)["groups"][0]
    assert group["read"]["ios"] == pytest.approx(20 * 4844, rel=0.02)


@pytest.mark.parametrize("args, word", [
    (["--filename=sim:nope"], "nope"),
    (["--filename=sim:cloud-ssd-100g:x.dat"], "mixes"),
    (["--filename=sim:cloud-ssd-100g", "--ioengine=psync"], "sim"),
    (["--filename=x.dat", "--ioengine=sim", "--size=1m"], "simulated drive"),
    (["--filename=sim:cloud-ssd-100g", "--bs=1000"], "512"),
])
def test_wrong_input_is_one_clear_error(assay, args, word):
    result = run(["run", "--rw=read", *args], program=assay)
    assert result.rc == 4
    assert word in result.err
    assert result.err.count("\n") == 1


def test_a_state_is_loaded_and_saved(assay, scratch):
    state = scratch.path / "drive.state"
    fill = ["run", "--filename=sim:nvme-enterprise,size=1g", "--rw=write", "--bs=128k",
            f"--state={state}"]
    run(fill, program=assay).check(0)
    size = state.stat().st_size
    assert size > 0
    run(fill, program=assay).check(0)
    state.write_bytes(state.read_bytes()[: size // 2])
    result = run(fill, program=assay)
    assert result.rc in (4, 6)
    assert str(state) in result.err


def test_the_stores_row_says_simulated(assay, scratch):
    store = scratch.path / "results.db"
    run(["run", "--filename=sim:nvme-enterprise,size=1g", "--rw=read", "--runtime=1s",
         "--time_based=1", f"--store={store}"], program=assay).check(0)
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT simulated, title FROM runs").fetchall() == [
            (1, "simulated read on sim:nvme-enterprise,size=1g")
        ]


def test_a_store_of_the_first_schema_is_brought_up_to_date(assay, scratch):
    store = scratch.path / "old.db"
    schema = Path(__file__).resolve().parents[2] / "src" / "store" / "schema.sql"
    with sqlite3.connect(store) as db:
        db.executescript(schema.read_text())
        db.execute("PRAGMA user_version = 1")
        db.execute("PRAGMA application_id = 1634956153")
    run(["run", "--filename=sim:nvme-enterprise,size=1g", "--rw=read", "--runtime=1s",
         "--time_based=1", f"--store={store}"], program=assay).check(0)
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT simulated FROM runs").fetchall() == [(1,)]
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


def amplification(assay, drive, state, *prepare):
    """What the drive's own log says: bytes of the preparation, and the write amplification of half
    a pass of random writes after it.
    """
    job = ["run", f"--filename=sim:{drive}", "--rw=randwrite", "--bs=4k", "--iodepth=32",
           f"--state={state}", "--format=json"]

    def written(*words):
        answer = run([*job, *words], program=assay).check(0).json()["targets"][0]["simulated"]
        return answer["host_written_bytes"], answer["nand_written_bytes"]

    host, nand = written(*prepare)
    host_after, nand_after = written("--norandommap=1", "--io_size=64m", "--randseed=5")
    return host, (nand_after - nand) / (host_after - host)


def test_one_pass_of_sprandom_is_as_two_full_passes(assay, scratch):
    drive, size = "sata-enterprise,size=128m,op=12.5%,cache=256k", 128 * 1024 * 1024
    _, settled = amplification(assay, drive, scratch.path / "full", "--loops=8")
    host, two = amplification(assay, drive, scratch.path / "two", "--loops=2")
    assert host == 2 * size
    host, one = amplification(assay, drive, scratch.path / "one", "--sprandom=1", "--spr_op=0.125")
    assert host == pytest.approx(1.125 * size, rel=0.01)
    assert one == pytest.approx(settled, rel=0.02)
    assert abs(one - settled) < abs(two - settled)
