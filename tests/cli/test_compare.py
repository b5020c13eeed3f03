"""Compare and gate: document 001's printed ratios, document 000's cells, three outcomes."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from rigs import browser
from rigs.assay import run
from rigs.scratch import Scratch

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def place(scratch: Scratch) -> Path:
    return Path(scratch.path)


def go(place: Path, *args, rc: int = 0):
    return run(args, cwd=place, env={"XDG_DATA_HOME": str(place / "data")}).check(rc)


def compare(place: Path, *names: str, form: str = "text"):
    return go(place, "compare", *(str(EXAMPLES / name) for name in names), f"--format={form}")


def test_document_001s_ratios_come_out(place):
    out = compare(place, "001-pcie-card.json", "001-san-array.json").out
    for ratio in "5.57 2.89 17.32 6.64 26.99 6.61".split():
        assert ratio in out.split("A ", 1)[1]
    inner = [line.split()[-3:] for line in out.splitlines() if line.startswith("rand")][-4:]
    assert [row[:2] for row in inner] == [
        ["1.20", "3.74"], ["1.00", "2.31"], ["44.68", "216.51"], ["7.71", "17.62"]]
    assert inner[2][2] == "4.85"
    text = " ".join(out.split())
    assert "A has 2.89 to 26.99 times the MB/s of B" in text
    assert "A is 4.85 times as even" in text
    assert "rest on one run a side" in text


def figures(page: str) -> list[str]:
    return re.findall(r'<figure id="([^"]*)"', page)


def test_a_page_has_the_ratios_of_document_001_first_and_as_pictures(place):
    names = [str(EXAMPLES / name) for name in ("001-pcie-card.json", "001-san-array.json")]
    go(place, "compare", *names, "-o", "x.html")
    page = (place / "x.html").read_text()
    assert page.index("A has 2.89 to 26.99 times the MB/s of B") < page.index("<table")
    assert page.index("A is 4.85 times as even") < page.index("<table")
    for ratio in "5.57 2.89 17.32 6.64 26.99 6.61 44.68 216.51 4.85".split():
        assert f"<td>{ratio}</td>" in page
    # Of printed bandwidths nothing but bandwidths is drawn, and single loads are no curve.
    assert figures(page) == ["ratio-1-bytes_per_s", "cells-2-bytes_per_s", "cells-3-bytes_per_s"]
    go(place, "compare", *names, "-o", "x.csv")
    assert len((place / "x.csv").read_text().splitlines()) == 13
    assert go(place, "compare", *names, "--format=html").out == page
    assert "none of text, json, markdown" in go(place, "compare", *names, "--format=pdf", rc=4).err


def test_a_page_has_the_matrix_of_document_000(place):
    names = [str(EXAMPLES / name) for name in ("000-pcie-ssd.json", "000-sata-raid0.json")]
    page = go(place, "report", *names, "--format=html").out
    assert page.count("does not add up") == 2
    assert "<td>1: randread 4 KiB depth 1 x1</td><td>68us 58MB/s 14.5K</td><td>11ms 364KB/s 89</td>" in page
    drawn = figures(page)
    assert drawn[:3] == ["ratio-1-ios_per_s", "ratio-1-bytes_per_s", "ratio-1-mean_ns"]
    # Reads, writes, and both directions of the mix, each as IOPS, MB/s and latency.
    assert len(drawn) == 3 + 4 * 3
    graph = go(place, "report", *names, "--format=csv").out
    table = graph[graph.index('\n"randread, read: iops"') :].splitlines()
    assert table[2] == 'requests in flight: jobs x depth,"A, 4 KiB (IOPS)"'
    assert [line.split(",")[0] for line in table[3:8]] == ["1", "4", "8", "16", "32"]


def test_cells_that_do_not_add_up_are_found_and_no_other(place):
    out = compare(place, "000-pcie-ssd.json", "000-sata-raid0.json", form="markdown").out
    found = [line for line in out.splitlines() if "does not add up" in line]
    assert len(found) == 2
    assert "randread 128 KiB depth 1 x4: 23ms 20.1MB/s 171" in found[0]
    assert "22.4 MB/s" in found[0]
    assert "randrw 70/30 32 KiB depth 1 x4 write: 913us 2.5MB/s 65" in found[1]
    assert "in flight" not in out  # Little's law holds within 10 % in every cell


def test_csv_and_json_say_the_same(place):
    names = ("001-pcie-card.json", "001-san-array.json")
    rows = [line.split(",") for line in compare(place, *names, form="csv").out.splitlines()[1:]]
    doc = compare(place, *names, form="json").json()
    assert len(rows) == 12
    told = doc["cells"][0]["sides"][1]["bytes_per_s"]
    assert told["runs"] == 1 and told["low"] is None
    assert told["ratio_to_first"] == pytest.approx(205.9 / 1147, rel=1e-5)
    assert float(rows[1][5]) == pytest.approx(told["ratio_to_first"], rel=1e-5)


def cells(values: list[float], latency: float) -> dict:
    return {"schema_version": 1, "assay_version": None, "records": [
        {"record": {"uid": f"{i:032x}", "kind": "printed", "title": None, "program": None,
                    "incomplete": None, "started_unix_ns": 0, "span_ns": 0, "written_bytes": 0,
                    "uncertain_percent": 0, "tags": [], "remarks": [], "job_text": None},
         "runs": [],
         "cells": [{"name": "x", "load": "randread", "bs_bytes": 4096, "depth": 1, "jobs": 1,
                    "read_percent": 100, "direction": "read", "printed": None,
                    "ios_per_s": value, "p99_ns": latency * (1 + i / 1000)}]}
        for i, value in enumerate(values)]}


def gate(place: Path, base, new, *options, rc: int):
    (place / "a.json").write_text(json.dumps(base))
    (place / "b.json").write_text(json.dumps(new))
    return go(place, "gate", "a.json", "b.json", *options, rc=rc)


RUNS = [1000, 1004, 998, 1001, 1003, 997]


def test_a_gate_passes_fails_or_cannot_tell(place):
    base = cells(RUNS, 100_000)
    gate(place, base, cells([v * 1.01 for v in RUNS], 100_000), rc=0)
    out = gate(place, base, cells([v * 0.9 for v in RUNS], 100_000), rc=1).out
    assert "fail" in out and "11.1 %" in out
    gate(place, base, cells(RUNS, 120_000), rc=1)  # p99 up is worse
    gate(place, base, cells(RUNS, 80_000), rc=0)
    assert "one run a side" in gate(place, cells([1000], 1), cells([500], 1), rc=2).out
    noisy = cells([900, 1100, 970, 1040, 1010, 985], 100_000)
    assert "more runs a side" in gate(place, base, noisy, rc=2).out


def test_a_gate_of_single_runs_is_of_the_pair_alone(place):
    """Its intervals come from the runs' own seconds, and every verdict says what it is not."""
    def a_run(profile: str, seed: int) -> None:
        go(place, "run", "--name=a", f"--filename=sim:{profile},size=64m", "--rw=randread",
           "--bs=4k", "--time_based", "--runtime=30s", f"--randseed={seed}")  # fmt: skip

    a_run("nvme-enterprise", 1)
    a_run("nvme-enterprise", 2)
    a_run("sata-enterprise", 1)
    same = go(place, "gate", "r1", "r2", "--format=json", rc=0).json()
    assert all(figure["of_pair_alone"] for figure in same["figures"])
    assert all(figure["low"] <= 1.03 and figure["high"] >= 0.97 for figure in same["figures"])
    worse = go(place, "gate", "r1", "r3", rc=1)
    assert "fail, of this pair alone" in worse.out
    assert "repetition would differ is not known" in " ".join(worse.out.split())
    suite = ElementTree.fromstring(go(place, "gate", "r1", "r3", "--format=junit", rc=1).out)
    assert all(case.find("system-out").text == "of this pair of runs alone" for case in suite)
    short = ["run", "--name=a", SIM, "--rw=randread", "--bs=4k", "--io_size=64k"]
    go(place, *short)
    assert "one run a side" in go(place, "gate", "r4", "r4", rc=2).out


SIM = "--filename=sim:nvme-enterprise,size=64m"
SPLIT = ["--rw=randrw", "--bssplit=4k/60:64k/40", "--numjobs=2", "--runtime=1s", "--time_based"]


def fio_document(options: dict[str, str], jobs: int, rw: dict[str, float]) -> str:
    """Clones as fio 3 lists them: the same options, figures of their own."""
    one = {
        direction: {"total_ios": 1000, "io_bytes": 4096000, "runtime": 1000, "iops": iops,
                    "bw_bytes": int(iops * 4096), "clat_ns": {"min": 1, "max": 9, "mean": 5, "N": 1000}}
        for direction, iops in rw.items()
    }  # fmt: skip
    job = {"jobname": "mix", "job options": options}
    return json.dumps({"fio version": "fio-3.33", "jobs": [{**job, **one} for _ in range(jobs)]})


def test_the_same_mix_of_sizes_has_the_same_label_from_fio_and_from_assay(place):
    options = {"rw": "randrw", "bssplit": "4k/60:64k/40", "numjobs": "2"}
    (place / "fio.json").write_text(fio_document(options, 2, {"read": 1000, "write": 900}))
    go(place, "run", SIM, *SPLIT, "--format=json", "-o", "a.json")
    page = go(place, "compare", "./fio.json", "./a.json", "--format=json").json()
    labels = {cell["cell"] for cell in page["cells"]}
    assert labels == {f"randrw bssplit=4k/60:64k/40 50/50 depth 1 x2 {d}" for d in ("read", "write")}
    text = go(place, "compare", "./fio.json", "./a.json").out
    assert "2,000 IOPS" in text  # of both clones
    assert "no cell in common" not in text


def test_what_one_side_lacks_is_never_nan(place):
    """A has a sequential cell and a random one, B none of the two."""
    seq = fio_document({"rw": "read", "bs": "1m"}, 1, {"read": 1000})
    rand = fio_document({"rw": "randread", "bs": "4k"}, 1, {"read": 500})
    both = json.loads(seq)
    both["jobs"] += json.loads(rand)["jobs"]
    (place / "a.json").write_text(json.dumps(both))
    (place / "b.json").write_text(rand)
    page = go(place, "compare", "./a.json", "./b.json").out
    assert "inside each" in page
    assert re.search(r"\bnan\b|\binf\b", page) is None, page


def test_the_margin_is_settable_per_metric(place):
    base, new = cells(RUNS, 100_000), cells(RUNS, 108_000)
    gate(place, base, new, rc=1)
    gate(place, base, new, "--margin=p99:15%", rc=0)
    gate(place, base, new, "--margin=15%", rc=0)
    gate(place, base, new, "--margin=iops:15%", rc=1)
    assert "p98" in gate(place, base, new, "--margin=p98:15%", rc=4).err


def test_a_gates_forms(place):
    base, new = cells(RUNS, 100_000), cells([v * 0.9 for v in RUNS], 100_000)
    doc = gate(place, base, new, "--format=json", rc=1).json()
    assert doc["outcome"] == "fail"
    assert {f["metric"]: f["outcome"] for f in doc["figures"]} == {
        "ios_per_s": "fail", "p99_ns": "pass"}
    suite = ElementTree.fromstring(gate(place, base, new, "--format=junit", rc=1).out)
    assert suite.attrib["tests"] == "2" and suite.attrib["failures"] == "1"
    assert "| fail" in gate(place, base, new, "--format=markdown", rc=1).out


def skipped(result) -> dict[str, str]:
    suite = ElementTree.fromstring(result.out)
    of = {case.get("name"): case.find("skipped").get("message") for case in suite
          if case.find("skipped") is not None}  # fmt: skip
    assert int(suite.get("skipped")) == len(of) and int(suite.get("tests")) == len(suite)
    return of


def test_junit_says_why_a_figure_is_skipped(place):
    base = cells(RUNS, 100_000)
    why = skipped(gate(place, base, cells([v * 0.97 for v in RUNS], 100_000), "--format=junit", rc=2))
    assert list(why) == ["iops"]
    assert re.fullmatch(r"cannot tell: p 0\.\d+; about \d+ more runs? a side", why["iops"]), why
    one = cells(RUNS[:1], 100_000)
    why = skipped(gate(place, one, one, "--format=junit", rc=2))
    assert set(why.values()) == {"cannot tell: one run on a side"}


def test_junit_is_never_green_where_the_gate_is_not(place):
    """Of a plan that was cut off what it has may pass, and the whole does not."""
    base, new = cells(RUNS, 100_000), cells(RUNS, 100_000)
    assert skipped(gate(place, base, new, "--format=junit", rc=0)) == {}
    for document in new["records"]:
        document["record"].update(incomplete="stopped by <SIGINT>", kind="printed")
    why = skipped(gate(place, base, new, "--format=junit", rc=2))
    assert len(why) == 2
    assert all(text.endswith("; b.json is not complete: stopped by <SIGINT>") for text in why.values())
    for document in new["records"]:
        document["record"]["kind"] = "plan"  # cells that it finished are whole
    why = skipped(gate(place, base, new, "--format=junit", rc=2))
    assert why == {"whole": "cannot tell; b.json is not complete: stopped by <SIGINT>"}


def test_runs_of_a_tag_are_repetitions(place):
    for tag in ("a", "b"):
        for _ in range(2):
            go(place, "run", "--name=x", "--filename=f", "--size=1m", "--rw=randread", "--bs=4k",
               f"--tag={tag}")
    doc = go(place, "compare", "a", "b", "--format=json").json()
    figure = doc["cells"][0]["sides"][1]["ios_per_s"]
    assert figure["runs"] == 2
    assert figure["low"] <= figure["ratio_to_first"] <= figure["high"]


@pytest.mark.parametrize("side", ["p4:x", "p4:", "p4:-1"])
def test_a_plans_target_that_is_no_number(place, side):
    assert "there is no store" in go(place, "compare", side, "r1", rc=6).err
    go(place, "results", "import", str(EXAMPLES / "001-pcie-card.json"))
    assert f'"{side}" is no run' in go(place, "compare", side, "r1", rc=4).err


def test_history_finds_where_the_level_changed(place):
    def one(i: int) -> dict:
        doc = cells([1000 if i < 12 else 700], 100_000)["records"][0]
        doc["record"]["uid"] = f"{i:032x}"
        doc["cells"][0]["ios_per_s"] += i % 3
        return doc

    (place / "h.json").write_text(json.dumps(
        {"schema_version": 1, "assay_version": None, "records": [one(i) for i in range(24)]}))
    go(place, "results", "import", "h.json")
    go(place, "results", "sql", "SELECT 1")
    for i in range(24):
        go(place, "results", "tag", f"r{i + 1}", "drive")
    assert "no run of" in go(place, "history", "/dev/none", rc=4).err
    out = go(place, "history", "drive").out
    assert "worse since r13: 1,001 before, 701 after" in " ".join(out.split())
    told = go(place, "history", "drive", "--format=json").json()
    assert (told["target"], told["metric"]) == ("drive", "iops")
    (cell,) = told["cells"]
    assert [run["run"] for run in cell["runs"]] == [f"r{i + 1}" for i in range(24)]
    assert [run["value"] for run in cell["runs"]][:4] == [1000, 1001, 1002, 1000]
    (change,) = cell["changes"]
    assert (change["since"], change["before"], change["after"]) == ("r13", 1001, 701)
    assert change["worse"] and change["p"] < 0.001
    go(place, "history", "drive", "-o", "h.html")
    page = (place / "h.html").read_text()
    assert "<figure id=\"history-1\">" in page and ">r13</text>" in page and ">level</text>" in page
    rows = go(place, "history", "drive", "--format=csv").out.splitlines()
    assert "12.6,701" in rows and "12.4,1001" in rows
    go(place, "history", "drive", "-o", "h.md")
    assert (place / "h.md").read_text().startswith("## ")
    if not browser.why_not() and "<script>" in page:
        (seen,) = browser.look([{"path": str(place / "h.html"),
                                 "hover": {"figure": "history-1", "at": 0.4}}])  # fmt: skip
        assert seen["errors"] == [] and seen["requests"] == [] and seen["overflow"] == []
        assert seen["figures"][0]["live"] and seen["figures"][0]["ink"] > 60
        values = {line["line"]: float(line["low"]) for line in seen["tips"][0]["lines"]}
        assert values["iops"] in (1000, 1001, 1002, 700, 701, 702)
    go(place, "results", "tag", "r1", "few")
    assert go(place, "history", "few", "--format=json").json()["cells"][0]["changes"] is None


def test_facts_of_document_001(place):
    (place / "facts").write_text(
        "# the reviewer's sums\nB.disks = 5\nB.rpm = 15000\nB.ports = 1\nB.port_mb_s = 400\n"
        "A.link_mb_s = 1000\n")
    names = [str(EXAMPLES / n) for n in ("001-pcie-card.json", "001-san-array.json")]
    out = " ".join(go(place, "compare", *names, "--facts=facts").out.split())
    assert "B, randread 4 KiB depth 1 x1: 232 is far below what it can give " \
           "(5 disks × 200 IOPS = 1000)".replace("×", "x") in out.replace("×", "x")
    assert "A, read 1 MiB depth 1 x1: 1,147 is above what it can give" in out
    assert "port" not in out  # 224 of 400 MB/s is neither
    for wrong in ("C.disks = 5", "B.disk = 5", "B.disks = x", "nonsense"):
        (place / "facts").write_text("\n" + wrong)
        assert "facts:2" in go(place, "compare", *names, "--facts=facts", rc=4).err


def test_without_a_common_cell_nothing_is_compared(scratch):
    """Each would stand alone in its column; what they have is told."""
    for name, size in [("a", "4k"), ("b", "8k")]:
        done = run(["run", f"--name={name}", "--ioengine=null", "--size=1g", "--rw=randread",
                    f"--bs={size}", "--number_ios=100", "--no-store", "--format=json"],
                   cwd=scratch.path).check()  # fmt: skip
        (Path(scratch.path) / f"{name}.json").write_text(done.out)
    for form in ["text", "json", "csv"]:
        refused = run(["compare", "./a.json", "./b.json", f"--format={form}"], cwd=scratch.path)
        refused.check(4)
        assert not refused.out and "no cell in common" in refused.err
        assert "./a.json: randread 4 KiB" in refused.err, refused.err
        assert "./b.json: randread 8 KiB" in refused.err
