"""Runs on simulated drives by whole commands: virtual time, the same result each time."""

import json
import re
import sqlite3
import time
from pathlib import Path

import pytest
from rigs.assay import run


def figures(document):
    """All that a run measured: everything but the hour it ran at and the machine."""
    return {key: document[key] for key in ("groups", "series", "span_ns")}


JOB = ["--filename=sim:nvme-enterprise,size=1g", "--rw=randrw", "--bs=4k", "--iodepth=8",
       "--numjobs=2", "--runtime=500ms", "--time_based=1", "--format=json"]


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
    out = run(["quick", "sim:cloud-ssd-100g,size=1g", "--time=200ms"], program=assay).check(0).out
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


@pytest.mark.long_cpu
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
    fill = ["run", "--filename=sim:nvme-enterprise,size=256m", "--rw=write", "--bs=128k",
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
    schemas = Path(__file__).resolve().parents[2] / "src" / "store"
    with sqlite3.connect(store) as db:
        db.executescript((schemas / "schema.sql").read_text())
        db.execute("PRAGMA user_version = 1")
        db.execute("PRAGMA application_id = 1634956153")
    run(["run", "--filename=sim:nvme-enterprise,size=1g", "--rw=read", "--runtime=1s",
         "--time_based=1", f"--store={store}"], program=assay).check(0)
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT simulated FROM runs").fetchall() == [(1,)]
        # schema.sql is the first, schema_2.sql the step to the second, and so on.
        newest = 1 + len(list(schemas.glob("schema_*.sql")))
        assert db.execute("PRAGMA user_version").fetchone() == (newest,)


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


# A disk of 0.2 ms that stops once, for 1 s: the vector of coordinated omission (Gil Tene).
STALLS = ("cloud-ssd-100g,iops_base=0,iops_per_gib=0,bytes_base=0,bytes_per_gib=0,read_latency=0,"
          "jitter=0,command_time=200us,stall_every=6s,stall=1s")


def stalled(assay, *words):
    job = ["run", f"--filename=sim:{STALLS}", "--rw=randread", "--bs=4k", "--format=json"]
    return run([*job, *words], program=assay).check(0).json()["groups"][0]["read"]


@pytest.mark.parametrize("depth", ["1", "2048"])
def test_coordinated_omission_open_loop(assay, depth):
    """At 1,000 a second for 10 s; what is due during the stall counts from when it was due."""
    read = stalled(assay, "--rate_iops=1000", "--number_ios=10000", f"--iodepth={depth}")
    assert read["ios"] == 10000
    response = read["latency"]["response"]
    assert response["mean_ns"] == pytest.approx(62.75e6, rel=0.0001)
    assert response["max_ns"] == 1000_200_000
    for percentile, wanted_ms in {"90": 200.2, "99": 920.2, "99.9": 992.2}.items():
        # One of 0.8 ms more or less has that rank; and a bucket's middle stands for it.
        wanted = pytest.approx(wanted_ms * 1e6, abs=0.8e6 + 0.004 * wanted_ms * 1e6)
        assert response["percentiles_ns"][percentile] == wanted
    service = read["latency"]["service"]
    if depth == "1":  # what a tester that waits would call latency: the stall is one sample
        assert service["mean_ns"] == pytest.approx(0.3e6, rel=0.001)
        assert service["percentiles_ns"]["99.9"] == pytest.approx(0.2e6, rel=0.004)


def test_coordinated_omission_closed_loop(assay):
    """0.8 ms after each answer comes the next request: the stall makes one sample of 9,001."""
    read = stalled(assay, "--thinktime=800us", "--runtime=10s", "--time_based=1")
    assert read["ios"] == 9001
    service = read["latency"]["service"]
    assert service["mean_ns"] == pytest.approx(0.311e6, abs=0.0005e6)
    # The 99.9th is 0.2 ms too; of 9,001 samples it is not shown: fewer than 10 lie above it.
    assert service["percentiles_ns"]["99.5"] == pytest.approx(0.2e6, rel=0.004)
    assert service["percentiles_ns"]["99.9"] is None
    assert service["max_ns"] == 1000_200_000


def test_real_time_takes_its_time(assay):
    job = ["run", "--filename=sim:cloud-ssd-100g", "--rw=randread", "--bs=4k", "--runtime=500ms",
           "--time_based=1", "--format=json"]
    began = time.monotonic()
    slow = run([*job, "--real-time"], program=assay).check(0).json()
    assert time.monotonic() - began >= 0.5
    assert figures(slow) == figures(run(job, program=assay).check(0).json())


def test_a_file_of_such_a_name_and_a_list_of_drives(assay, scratch):
    """`sim:` runs to the next unescaped colon; ./sim is a file."""
    two = ["run", "--filename=sim:cloud-ssd-100g,size=1g:sim:nvme-enterprise,size=1g", "--rw=read",
           "--bs=4k", "--number_ios=100", "--format=json"]
    targets = run(two, program=assay).check(0).json()["targets"]
    assert [target["path"] for target in targets] == [
        "sim:cloud-ssd-100g,size=1g", "sim:nvme-enterprise,size=1g"]
    choices = ["run", r"--filename=sim:nvme-enterprise,size=1g,gc=d\:4", "--rw=read", "--bs=4k",
               "--number_ios=100"]
    run(choices, program=assay).check(4)  # the key is gc=choices,gc_choices=4: but it got there
    (scratch.path / "sim").write_bytes(b"x" * 8192)
    plain = run(["run", "--filename=./sim", "--rw=read", "--bs=4k", "--format=json"], program=assay,
                cwd=scratch.path).check(0).json()
    assert plain["simulated"] is False


def test_a_plans_snapshot_is_the_drives_own_log(assay, scratch):
    (scratch.path / "h.plan").write_text(
        "[w]\nstep=run\nrw=randwrite\nbs=4k\nnumber_ios=1000\n[h]\nstep=snapshot\n")
    words = ["plan", "run", "./h.plan", "sim:sata-enterprise,size=64m",
             f"--store={scratch.path}/plan.db"]
    page = " ".join(run(words, program=assay, cwd=scratch.path).check(0).out.split())
    for figure in ("written by the host 4.10 MB", "write commands 1000", "unsafe shutdowns 0"):
        assert figure in page, page
