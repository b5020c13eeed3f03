"""What is kept: runs are stored, shown as they were, exported, imported once, and read from fio."""

import json
import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rigs.assay import run
from rigs.scratch import Scratch

FIO = "/usr/bin/fio"


@pytest.fixture
def place(scratch: Scratch) -> Path:
    return Path(scratch.path)


def go(place: Path, *args, rc: int = 0, env=None):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data"), **(env or {})}).check(rc)


def a_run(place: Path, *args):
    return go(place, "run", "--name=a", "--filename=f", "--size=4m", "--rw=randread", "--bs=4k",
              "--io_size=1m", *args)


def test_the_list_has_figures_of_one_job_and_says_which(place):
    """The greatest IOPS of one job beside the greatest MB/s of another are no run's figures."""
    jobs = ["--name=big", "--bs=1m", "--rw=read", "--io_size=4m", "--stonewall", "--name=small",
            "--bs=4k", "--rw=randwrite", "--io_size=1m"]  # fmt: skip
    target = ["--filename=sim:nvme-enterprise,size=64m"]
    record = go(place, "run", *target, *jobs, *target, "--format=json").json()
    assert record["record"]["written_bytes"] == 1 << 20
    entry = go(place, "results", "list", "--format=json").json()[0]
    big = record["groups"][0]["read"]
    assert (entry["groups"], entry["figures_of"]) == (2, "big")
    assert entry["ios_per_s"] == pytest.approx(big["ios_per_s"])
    assert entry["bytes_per_s"] == pytest.approx(big["bytes_per_s"])
    assert "big, 1st of 2" in " ".join(go(place, "results", "list").out.split())


def test_a_stored_run_is_shown_as_it_was(place):
    live = a_run(place, "--format=json")
    assert live.json()["record"]["id"] == "r1"
    assert go(place, "results", "show", "r1", "--format=json").out == live.out
    text = a_run(place)
    assert "kept as r2" in text.out
    assert go(place, "results", "show", "@last").out == text.out


def test_quick_is_one_run_with_its_table(place):
    live = go(place, "quick", ".", "--size=16m", "--time=100ms", "--cells=RND4K-Q1T1", "--repeat=2")
    shown = go(place, "results", "show", "r1").out
    assert live.out.startswith(shown)
    last = live.out.removeprefix(shown).split()  # the report that quick writes beside the store
    assert last and Path(last[-1]).is_file() and last[-1].endswith(".html")


def test_no_store_keeps_nothing(place):
    out = a_run(place, "--no-store", "--format=json").json()
    assert out["record"]["id"] is None
    assert not (place / "data").exists()


def test_the_fio_face_keeps_nothing(place):
    go(place, "fio", "--name=a", "--filename=f", "--size=1m", "--rw=read")
    assert not (place / "data").exists()


def test_an_unwritable_place_is_known_before_the_run(place):
    (place / "data").write_text("no folder")
    said = go(place, "run", "--name=a", "--filename=f", "--size=1m", "--rw=read", rc=6)
    assert "--no-store" in said.err
    assert not (place / "f").exists()


def test_tags_notes_and_removal(place):
    for _ in range(2):
        a_run(place, "--tag=base")
    go(place, "results", "tag", "r2", "-base", "other")
    go(place, "results", "note", "r2", "new firmware")
    out = go(place, "results", "list", "--tag=other", "--format=json").json()
    assert [entry["id"] for entry in out] == ["r2"]
    assert "new firmware" in go(place, "results", "export", "r2").out
    go(place, "results", "rm", "base")
    assert [e["id"] for e in go(place, "results", "list", "--format=json").json()] == ["r2"]
    assert "r1" in go(place, "results", "show", "r1", rc=4).err


def test_an_export_is_imported_once(place):
    a_run(place)
    go(place, "results", "export", "r1", "-o", "x.json")
    for word in ("new", "known"):
        assert word in go(place, "results", "import", "./x.json", "--store=other.db").out
    assert (
        go(place, "results", "export", "r1", "--store=other.db").out
        == (place / "x.json").read_text()
    )
    assert go(place, "results", "show", "./x.json").out.startswith("what was measured")


def test_only_an_export_is_anonymous(place):
    """Another word that took the option and ignored it would show what somebody meant to hide."""
    a_run(place)
    for word in ["show", "list"]:
        refused = go(place, "results", word, "r1", "--anonymous", rc=4)
        assert "--anonymous is of export" in refused.err
        assert not refused.out


def test_anonymous_exports_name_nobody(place):
    a_run(place)
    out = go(place, "results", "export", "r1", "--anonymous", env={"USER": "alice"}).out
    assert str(place) not in out
    doc = json.loads(out)
    host = doc["records"][0]["runs"][0]["result"]["host"]
    assert host["name"] is None or host["name"].startswith("anon-")
    go(place, "results", "export", "r1", "--anonymous", "-o", "x.json")
    go(place, "results", "import", "./x.json", "--store=other.db")


def test_sql_reads_and_does_not_write(place):
    a_run(place)
    out = go(place, "results", "sql", "SELECT run, direction, ios FROM figures").out
    assert out == "run\tdirection\tios\nr1\tread\t256\n"
    go(place, "results", "sql", "DELETE FROM runs", rc=4)


DRIVE = "sim:nvme-enterprise,scale=1000"


def table(place: Path, query: str) -> list[list[str]]:
    return [line.split("\t") for line in go(place, "results", "sql", query).out.splitlines()[1:]]


def test_health_before_and_after_is_kept_shown_and_exported(place):
    live = go(place, "run", "--name=w", f"--filename={DRIVE}", "--rw=randwrite", "--bs=64k",
              "--io_size=64m")
    assert re.search(r"written by the host +0 B +67\.1 MB +\+67\.1 MB", live.out)
    assert go(place, "results", "show", "r1").out == live.out
    query = "SELECT device, before, after, change FROM drive_health WHERE field = 'host_written_bytes'"
    assert table(place, query) == [[DRIVE, "0", "67108864", "67108864"]]
    go(place, "results", "export", "r1", "-o", "r.json")
    elsewhere = "--store=./elsewhere.db"
    assert "new" in go(place, "results", "import", "./r.json", elsewhere).out
    assert go(place, "results", "sql", query, elsewhere).out == go(place, "results", "sql", query).out
    drive, = json.loads((place / "r.json").read_text())["records"][0]["runs"][0]["result"]["health"]
    assert drive["after"]["values"]["host_writes"] == 1024
    assert drive["after"]["told_by"] == "sim:nvme-enterprise"


def test_a_file_on_a_device_without_a_log_has_no_health(place):
    assert a_run(place, "--format=json").json()["health"] == []
    assert table(place, "SELECT * FROM drive_health") == []


def test_health_of_every_step_of_a_plan(place):
    (place / "x.plan").write_text(
        "[global]\nbs=64k\n[clean]\nstep=purge\n[fill]\nstep=fill\nneeds=clean\n"
        "[read]\nstep=sweep\nsweep=iodepth=1,4\nrw=randread\nio_size=8m\nneeds=fill\n"
        "[rest]\nstep=idle\nfor=1s\nneeds=read\n[state]\nstep=snapshot\nneeds=rest\n")
    page = go(place, "plan", "run", "./x.plan", DRIVE).out
    assert re.search(r"written by the host +0 B +1\.92 GB +\+1\.92 GB", page)
    told = table(place, "SELECT step_name, change FROM plan_health WHERE field = 'host_writes' "
                        "ORDER BY number")
    # A snapshot is one look: nothing happened in it.
    assert told == [["clean", "0"], ["fill", "14648"], ["read", "0"], ["read", "0"],
                    ["rest", "0"], ["state", ""]]
    journal = go(place, "results", "show", "p1", "--format=json").json()["journal"]
    assert [len(entry["health"]) for entry in journal] == [1] * 6
    assert journal[-1]["health"][0]["before"] is None


def test_a_whole_plan_is_one_document(place):
    go(place, "plan", "run", "quick-check", DRIVE, "--set", "time=50ms")
    go(place, "run", "--name=w", f"--filename={DRIVE}", "--rw=randread", "--io_size=1m")
    go(place, "results", "export", "p1", "-o", "p.json")
    elsewhere = "--store=./elsewhere.db"
    for word in ["new", "known"]:
        said = [line.split("\t") for line in go(place, "results", "import", "./p.json", elsewhere).out.splitlines()]
        assert {line[1] for line in said} == {word}
        assert said[-1] == ["p1", word, "quick-check"]
    for form in ["text", "json", "markdown"]:
        shown = ["results", "show", "p1", f"--format={form}"]
        assert go(place, *shown, elsewhere).out == go(place, *shown).out
    go(place, "results", "export", "p1", elsewhere, "-o", "again.json")
    assert (place / "again.json").read_text() == (place / "p.json").read_text()
    # Its runs came with it, and are its own: they go with it.
    assert len(table(place, "SELECT 1 FROM runs WHERE plan_id IS NOT NULL")) == len(said) - 1
    go(place, "results", "rm", "p1", elsewhere)
    assert go(place, "results", "sql", "SELECT count(*) FROM runs", elsewhere).out.split() == ["count(*)", "0"]
    # A store takes another's plans as well.
    assert go(place, "results", "merge", "./data/assay/results.db", elsewhere).out == (
        f"{len(said)} new, 0 known already\nplans: 1 new, 0 known already\n")
    # Nobody is named, and a model is still called one.
    go(place, "results", "export", "p1", "--anonymous", "-o", "anon.json")
    go(place, "results", "import", "./anon.json", "--store=./anon.db")
    assert "simulated" in go(place, "results", "show", "p1", "--store=./anon.db").out.splitlines()[0]


def test_a_drive_that_leaves_the_steady_state_that_it_had_reached_is_marked(place):
    """A new drive is as fast in every round as its empty flash; the same load for longer is not."""
    (place / "x.plan").write_text(
        "[global]\nrw=randwrite\nbs=4k\niodepth=32\n"
        "[level]\nstep=rounds\nruntime=40ms\ntime_based\nmax_rounds=6\n"
        "until=steady(iops, window=5, range=20%, slope=10%)\n"
        "[then]\nstep=run\nneeds=level\nio_size=400m\n"
        "[other]\nstep=run\nneeds=then\nrw=randread\nio_size=8m\n")
    page = " ".join(go(place, "plan", "run", "./x.plan", "sim:sata-tlc-128g,scale=1000").out.split())
    assert re.search(r"warning: then: iops is [\d,]+, [\d.]+ % below the level of [\d,]+ at which level was steady",
                     page)
    assert "write * " in page  # its figures, in the table
    journal = go(place, "results", "show", "p1", "--format=json").json()["journal"]
    level = {entry["step"]: entry["steady_level"] for entry in journal}
    assert level["then"]["left"] and level["then"]["percent"] < -50
    assert level["level"] is None and level["other"] is None  # no level of their load


def test_a_plan_whose_journal_is_not_its_own_is_not_taken(place):
    go(place, "plan", "run", "quick-check", DRIVE, "--set", "time=50ms")
    document = json.loads(go(place, "results", "export", "p1").out)
    for key, value in [("step", 99), ("cell", 99), ("target", 1), ("repetition", 1)]:
        entry = document["plans"][0]["journal"][0]
        was, entry[key] = entry[key], value
        (place / "wrong.json").write_text(json.dumps(document))
        assert "not of its text" in go(place, "results", "import", "./wrong.json", "--store=./x.db", rc=4).err
        entry[key] = was
    document["plans"][0]["text"] = "[a]\nstep=dance\n"
    (place / "wrong.json").write_text(json.dumps(document))
    assert "dance" in go(place, "results", "import", "./wrong.json", "--store=./x.db", rc=4).err


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be under sudo")
def test_under_sudo_the_store_is_the_invoking_users(place):
    homes = (u for u in pwd.getpwall() if u.pw_uid > 0 and Path(u.pw_dir).is_dir())
    user = next(u for u in homes if not (Path(u.pw_dir) / ".local").exists() and u.pw_dir != "/")
    made = Path(user.pw_dir) / ".local"
    env = {"SUDO_UID": str(user.pw_uid), "XDG_DATA_HOME": str(place / "roots")}
    try:
        go(place, "run", "--name=a", "--filename=f", "--size=1m", "--rw=read", env=env)
        store = made / "share" / "assay" / "results.db"
        for path in (made, store.parent, store):
            assert path.stat().st_uid == user.pw_uid, path
        assert not (place / "roots").exists()
    finally:
        shutil.rmtree(made, ignore_errors=True)


def fio(place: Path, *args) -> str:
    return subprocess.run(
        [FIO, "--name=x", "--filename=f", "--size=4m", "--bs=4k", *args],
        cwd=place, check=True, capture_output=True, text=True,
    ).stdout


def figures(place: Path, columns: str) -> list[list[str]]:
    out = go(place, "results", "sql", f"SELECT {columns} FROM figures").out
    return [line.split("\t") for line in out.splitlines()[1:]]


@pytest.mark.parametrize("kind", ["json", "json+", "json+,normal,terse"])
def test_fios_json_gives_fios_figures(place, kind):
    out = fio(place, "--rw=randrw", f"--output-format={kind}")
    (place / "o.json").write_text("noise { before\n" + out + "\n and } after")
    go(place, "results", "import", "o.json")
    start = out.index("{\n")
    doc = json.JSONDecoder().raw_decode(out[start:])[0]["jobs"][0]
    for direction, ios, iops, mb_s, p99 in figures(place, "direction,ios,iops,mb_per_s,p99_us"):
        told = doc[direction]
        assert int(ios) == told["total_ios"]
        assert float(iops) == pytest.approx(told["iops"], rel=2e-2)
        assert float(mb_s) == pytest.approx(told["bw_bytes"] / 1e6, rel=2e-2)
        if p99:
            clat = told["clat_ns"]["percentile"]["99.000000"] / 1e3
            assert float(p99) == pytest.approx(clat, rel=1e-2)


def test_documents_of_one_run_are_one(place):
    out = fio(place, "--rw=randread", "--time_based", "--runtime=1", "--status-interval=300ms",
              "--output-format=json")
    assert out.count('"fio version"') > 1
    (place / "o.json").write_text(out)
    assert len(go(place, "results", "import", "o.json").out.splitlines()) == 1
    assert "left out" in go(place, "results", "show", "@last").out


def test_what_fio_prints_for_no_number_is_unknown(place):
    out = fio(place, "--rw=randread", "--output-format=json")
    broken = out.replace('"iops_stddev" : ', '"iops_stddev" : -nan, "was" : ', 1)
    broken = broken.replace('"bw_dev" : ', '"bw_dev" : inf, "usr_cpu" : 1, "usr_cpu" : ', 1)
    (place / "o.json").write_text(broken)
    go(place, "results", "import", "o.json")
    told = json.loads(out)["jobs"][0]["read"]["total_ios"]
    assert figures(place, "direction,ios") == [["read", str(told)]]


def test_one_figure_for_both_directions_is_not_called_reads(place):
    out = fio(place, "--rw=randrw", "--output-format=json", "--unified_rw_reporting=1")
    (place / "o.json").write_text(out)
    go(place, "results", "import", "o.json")
    page = go(place, "results", "show", "@last").out
    assert re.search(r"^mixed, completion ", page, re.M), page
    assert "% of the requests were reads" not in page
    assert "\nread: " not in page
    assert "reads and writes are one figure here" in page


@pytest.mark.parametrize("version", [3, 4, 5])
def test_fios_terse_lines(place, version):
    subprocess.run(
        [FIO, "--name=we;ird", "--filename=f", "--size=4m", "--bs=4k", "--rw=randrw",
         "--minimal", f"--terse-version={version}", "--output=o.terse"], cwd=place, check=True,
    )
    field = (place / "o.terse").read_text().split(";")
    go(place, "results", "import", "o.terse")
    read = next(row for row in figures(place, "direction,iops,name") if row[0] == "read")
    assert float(read[1]) == pytest.approx(float(field[8]), rel=2e-2)
    assert read[2] == "we;ird"


def test_old_fio_counts_microseconds_and_kib(place):
    lat = {"min": 10, "max": 400, "mean": 50.5, "stddev": 3.0}
    direction = {
        "io_bytes": 4000, "bw": 1000, "iops": 250.0, "runtime": 4000, "total_ios": 20000,
        "lat": lat, "clat": {**lat, "percentile": {"99.000000": 90, "0.00": 0}},
    }
    doc = {"fio version": "fio-2.2.10", "timestamp": 1500000000,
           "jobs": [{"jobname": "old", "groupid": 0, "error": 0, "read": direction,
                     "usr_cpu": 1.0, "sys_cpu": 2.0}]}
    text = json.dumps(doc).replace('"stddev": 3.0', '"stddev": -nan').replace(
        '"0.00": 0', '"0.00": 0, "0.00": 0')
    (place / "o.json").write_text(text)
    go(place, "results", "import", "o.json")
    assert figures(place, "bytes,mb_per_s,p99_us") == [["4096000", "1.024", "90.0"]]


def test_what_is_no_result_is_said(place):
    for text in ("", "hello", '{"jobs": [{"jobname": "x"', '{"jobs": 7}', '{"schema_version": 99}'):
        (place / "o.json").write_text(text)
        assert "o.json" in go(place, "results", "import", "o.json", rc=4).err


def test_two_runs_do_not_go_into_one_file(place):
    a_run(place)
    result = go(place, "results", "show", "r1", "r1", "-o", str(place / "two.txt"), rc=4)
    assert "-o is for one run" in result.err


PLAN = """[a]
step=run
rw=randread
bs=4k
number_ios=100
"""


def test_a_plan_is_tagged_noted_named_exported_and_removed_as_a_run_is(place):
    """What a person says of a plan travels with it; a tag that it alone carries is its name."""
    (place / "p.plan").write_text(PLAN)
    go(place, "plan", "run", "./p.plan", "sim:nvme-enterprise,size=64m")
    go(place, "results", "tag", "p1", "base", "later")
    go(place, "results", "note", "p1", "new firmware")
    go(place, "results", "tag", "base", "-later")
    shown = go(place, "results", "show", "p1").out
    assert go(place, "results", "show", "base").out == shown
    assert "base: " in go(place, "compare", "base", "p1").out
    assert go(place, "results", "list", "--tag=base", "--format=json").json()[0]["tags"] == "base"
    assert go(place, "results", "list", "--tag=none", "--format=json").json() == []
    notes = go(place, "results", "sql", "SELECT run, text FROM remarks_and_notes").out
    assert "p1\tnew firmware" in notes
    a_run(place, "--tag=base")
    assert "more than one plan, or of a plan and of runs" in go(
        place, "results", "show", "base", rc=4
    ).err
    go(place, "results", "export", "p1", "-o", "e.json")
    for _ in range(2):
        go(place, "results", "import", "--store=other.db", "./e.json")
    assert "base" in go(place, "results", "list", "--store=other.db").out
    notes = go(place, "results", "sql", "--store=other.db", "SELECT count(*) FROM plan_remarks")
    assert notes.out.split()[-1] == "1"
    go(place, "results", "rm", "--store=other.db", "base")
    assert go(place, "results", "list", "--store=other.db", "--format=json").json() == []
