"""The page of a plan: how it came out first, SNIA's required pages, and the way to do it again."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rigs.assay import ASSAY, run

CARD = "sim:pcie-mlc-1.2t"
CHECKED = """
[plan]
title=With checks
[global]
runtime=100ms
time_based
bs=4k
[fill]
step=fill
[rand-write]
step=rounds
needs=fill
rw=randwrite
iodepth=8
until=steady(iops, window=5, range=20%, slope=10%)
max_rounds=8
check=p99 < 1s
[read]
step=sweep
rw=randread
sweep=bs=4k,8k x iodepth=1,4,16
check=errors == 0
[verdict]
step=check
check=rand_write.iops >= 90% of spec.iops
check=rand_write.p99 < 1ns
"""

# Of each: plan, options, figures by the end of their id, headings of tables.
PAGES = {
    "pts-iops": (["sizes=1024k,64k,4k", "class=client"], ["rounds-0", "rounds-6", "ios_per_s-0", "max_ns-0"],
                 ["iops, all directions together", "max (us), all directions together"]),
    "pts-throughput": ([], ["percentiles", "histogram", "exceedance"], []),
    "pts-latency": (["class=client"], ["rounds-2", "mean_ns-0", "max_ns-0", "histogram"],
                    ["mean (us), all directions together"]),
    "pts-wsat": (["rounds=40", "stride=5"],
                 ["time", "time-log", "written", "fills", "bandwidth", "latency", "histogram"], []),
}  # fmt: skip


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """In memory: a plan keeps every cell before the next begins, and disks of CI are slow at that."""
    folder = tempfile.mkdtemp(prefix="assay-page-", dir="/dev/shm")
    yield Path(folder)
    shutil.rmtree(folder)


def go(place: Path, *args, rc: int = 0):
    env = {"XDG_DATA_HOME": str(place / "data"), "XDG_STATE_HOME": str(place / "state")}
    return run([*args, f"--store={place}/r.db"], cwd=place, env=env).check(rc)


@pytest.fixture(scope="module")
def checked(place: Path) -> tuple[str, dict]:
    """The page of a plan with checks, and its JSON."""
    (place / "checked.plan").write_text(CHECKED)
    (place / "sheet").write_text("iops = 1\n")
    out = go(place, "plan", "run", "./checked.plan", "sim:nvme-enterprise,scale=2000", "--spec=sheet",
             "--scale=2", "--format=json", rc=1)  # fmt: skip
    path = out.err.splitlines()[-1].removeprefix("assay: report: ")
    return Path(path).read_text(), out.json()


def cells(row: str) -> list[str]:
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>.*?</td>", row)]


def table_after(page: str, head: str) -> list[list[str]]:
    """The rows of the table whose first head this is."""
    at = page.index(f"<th scope=\"col\">{head}</th>")
    return [cells(row) for row in re.findall(r"<tr>(<td.*?)</tr>", page[at : page.index("</table>", at)])]


def test_the_verdict_is_first_and_leads_to_what_it_is_about(checked):
    page, document = checked
    head = page[: page.index("what was tested")]
    assert "fail: 1 of 9 checks failed, 0 cannot be told." in head
    marks = re.findall(r'<p class="mark">(.*?)</p>', head)
    assert [mark.split(":")[0] for mark in marks] == ["simulated", "short form"]
    rows = table_after(head, "verdict")
    assert [row[4] for row in rows] == [verdict["outcome"] for verdict in document["verdicts"]]
    assert rows[0][0] == "rand-write: p99 &lt; 1s" and rows[0][2] == "1 s"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d [\d:]{8} UTC", row[3]) for row in rows)
    assert rows[-1][2] == "1 ns" and rows[-2][2] == "0.900"
    steps = {step["step"]: i for i, step in enumerate(document["steps"])}
    assert f'<a href="#step-0-0-{steps["rand-write"]}">verdict: rand_write.p99' in head


def test_a_reviewers_questions_are_answered(checked):
    page, document = checked
    found = {row[0]: row[1] for row in table_after(page, "what a reviewer asks")}
    requests = sum(cell["all"]["ios"] for step in document["steps"][1:3] for cell in step["cells"])
    assert found["intervals without any completion"].startswith("0 of ")
    assert f"in {requests:,} requests" in found["stalls: requests above 200 ms"]
    assert found["errors"] == f"none in {requests:,} requests"
    assert found["steady state, rand-write"].startswith("reached: rounds 1 to 5, after ")
    assert found["errors and heat, as the drive counts them"] == "none"
    least, most = map(float, re.fullmatch(
        r"([\d.]+) to ([\d.]+), by step", found["write amplification"]).groups())
    assert 1 <= least <= most < 10


def test_each_link_leads_somewhere(checked):
    page, _ = checked
    page = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    ids = re.findall(r' id="([^"]*)"', page)
    links = set(re.findall(r'href="#([^"]*)"', page))
    assert len(ids) == len(set(ids))
    assert len(links) >= 3 and links <= set(ids)


def test_the_matrix_holds_the_numbers_of_the_json(checked):
    page, document = checked
    read = next(step for step in document["steps"] if step["step"] == "read")
    rows = table_after(page[page.index(">iops (IOPS)</h3>") :] if ">iops (IOPS)</h3>" in page
                       else page[page.index(">iops</h3>") :], "iodepth")  # fmt: skip
    assert [row[0] for row in rows] == ["1", "4", "16"]
    for cell in read["cells"]:
        row = next(row for row in rows if row[0] == cell["iodepth"])
        shown = row[1 if cell["bs"] == "4k" else 2]
        assert float(shown.replace(",", "")) == pytest.approx(cell["read"]["ios_per_s"], rel=0.01)
    shown = ("ios_per_s", "bytes_per_s", "mean_ns", "p99_ns", "max_ns")
    told = sum(cell["read"][name] is not None for cell in read["cells"] for name in shown)
    assert page.count('class="heat"') == told


def numbers_of(page: str, figure: str) -> dict[str, tuple[list[float], list[float]]]:
    """x and y of each line that a figure carries."""
    at = page.index(f'<figure id="{figure}"')
    text = re.search(r'<script type="application/json">(.*?)</script>', page[at:], re.DOTALL)
    assert text
    lines = json.loads(text[1])["lines"]
    return {line["name"]: (line["x"], line["y"]) for line in lines}


def test_latency_over_rate_stands_beside_littles_law(checked):
    """Of a model that keeps its requests in flight: the two are one."""
    page, document = checked
    if "uPlot" not in page:
        pytest.skip("this build's pages are static: uPlot was not there (npm)")
    lines = numbers_of(page, "step-0-0-2-stick")
    read = next(step for step in document["steps"] if step["step"] == "read")
    assert {"bs=4k", "bs=8k"} < set(lines)
    for size in ("4k", "8k"):
        x, y = lines[f"bs={size}"]
        cells = [cell["all"] for cell in read["cells"] if f"bs={size}" in cell["cell"].split()]
        assert x == pytest.approx(sorted(cell["ios_per_s"] for cell in cells), rel=1e-3)
        for rate, mean in zip(x, y, strict=True):
            depth = rate * mean * 1e-9
            assert min(abs(depth / n - 1) for n in (1, 4, 16)) < 0.05


def test_a_search_draws_latency_over_rate(place):
    go(place, "plan", "run", "curve", CARD, "--scale=2000", "--no-report")
    go(place, "report", "@plan", "-o", "curve.html")
    assert re.search(r'<figure id="step-0-0-\d-stick"', (place / "curve.html").read_text())


def test_the_command_does_it_again(place, checked):
    page, document = checked
    code = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)[-1]
    for sign, entity in (("<", "&lt;"), (">", "&gt;"), ("'", "&#39;"), ('"', "&quot;"), ("&", "&amp;")):
        code = code.replace(entity, sign)
    assert "again.spec" in code and "--scale=2" in code
    folder = place / "again"
    folder.mkdir()
    (folder / "assay").symlink_to(ASSAY)
    script = f"PATH={folder}:$PATH\n{code} --no-report --format=json --store={place}/again.db\n"
    done = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    again = json.loads(done.stdout)
    assert [step["cells"] for step in again["steps"]] == [step["cells"] for step in document["steps"]]


@pytest.mark.parametrize("plan", PAGES)
def test_the_pages_that_snia_requires(place, plan):
    settings, figures, headings = PAGES[plan]
    go(place, "plan", "run", plan, CARD, "--scale=2000", "--format=json",
       *[f"--set={setting}" for setting in settings])  # fmt: skip
    go(place, "report", "@plan", "-o", f"{plan}.html")
    document = go(place, "results", "show", "@plan", "--format=json").json()
    page = (place / f"{plan}.html").read_text()
    assert "not certified" in page and "short form: scale 1/2000" in page
    ready = {row[0]: row for row in table_after(page, "purge and preconditioning")}
    assert any("a fresh simulated drive" in row[1] for row in ready.values())
    if plan != "pts-wsat":
        fill = next(row for name, row in ready.items() if name.startswith("fill"))
        assert fill[1] == "sequential, 2 passes" and float(fill[3]) == pytest.approx(2, rel=0.05)
    ids = re.findall(r'<figure id="([^"]*)"', page)
    for row in document["rounds"]:
        assert any(name.startswith("rounds-0-0-") for name in ids), row
    windows = table_after(page, "steady window")
    rounds = document["rounds"]
    assert windows[0][0] == rounds[0]["variable"]
    # Average, measured and allowed range, measured and allowed slope, the lines, the fit.
    scale = {"iops": 1, "bw": 1e-6, "mean": 1e-3}[rounds[0]["variable"].split("[")[0]]
    average, wide, allowed, _, slope, low, high = (
        float(text.replace(",", "")) for text in windows[0][1:8])
    assert average == pytest.approx(rounds[0]["mean"] * scale, rel=0.01)
    assert wide == pytest.approx(average * rounds[0]["range_percent"] / 100, rel=0.02, abs=0.02)
    assert [allowed, slope, low, high] == pytest.approx(
        [average * part for part in (0.2, 0.1, 0.9, 1.1)], rel=0.01)
    assert re.fullmatch(r"-?[\d.,]+ R \+ [\d.,]+", windows[0][8])
    for name in figures:
        assert any(re.fullmatch(rf"step-0-0-\d+-{name}", one) for one in ids), (name, ids)
    for heading in headings:
        assert re.search(rf"<h3>{re.escape(heading).replace('iops', 'iops.*')}</h3>", page), heading


@pytest.mark.long_cpu
def test_a_drive_that_leans_on_trim_is_told_so(place):
    go(place, "plan", "run", "trim", CARD, "--scale=500", "--no-report", rc=1)
    page = go(place, "report", "@plan", "--format=markdown").out
    ratio = re.search(r"with TRIM against without \| ([\d.]+) times the IOPS", page)
    assert ratio and float(ratio[1]) > 1.1


def test_the_environment_of_all_of_it_stands_at_the_end(place, scratch):
    (place / "file.plan").write_text("[read]\nstep=run\nrw=randread\nbs=4k\nnumber_ios=50\n"
                                     "size=1m\n[more]\nstep=run\nrw=read\nbs=64k\nsize=1m\n")
    target = Path(scratch.path) / "target"
    target.write_bytes(bytes(1 << 20))
    go(place, "plan", "run", "./file.plan", target, "--format=json")
    page = go(place, "report", "@plan", "--format=markdown").out
    rows = [line for line in page.splitlines() if line.startswith("| kernel | host |")]
    assert rows and rows[0].endswith("| the same |")
    assert "simulated" not in page and "short form" not in page
    assert "| write amplification | not available" in page
    for run_id in ("SELECT min(id) FROM runs", "SELECT max(id) FROM runs"):
        assert go(place, "results", "sql", run_id).out  # both ends are there to be read


def test_two_plans_side_by_side(place, checked):
    _, document = checked
    page = go(place, "report", document["id"], document["id"], "--format=html").out
    assert '<figure id="ratio-1-ios_per_s">' in page and "A ÷ B" in page
    assert 'class="mark">simulated' in page


def test_a_warning_is_a_sentence_once_a_step(place):
    """libaio through the page cache answers inside the call: depth 16 is never reached."""
    (place / "warned.plan").write_text(
        "[plan]\ntitle=t\n[global]\nruntime=100ms\ntime_based\n[read]\nstep=sweep\nrw=randread\n"
        "ioengine=libaio\ndirect=0\niodepth=16\nsize=4m\nsweep=bs=4k,8k\n")  # fmt: skip
    (place / "data").mkdir(exist_ok=True)
    target = place / "data" / "file"
    target.write_bytes(os.urandom(4 << 20))
    out = go(place, "plan", "run", "./warned.plan", target).out
    page = Path(out.splitlines()[-1]).read_text()
    first, second = re.findall(r'<p class="note">note: (bs=.*?)</p>', page)
    assert first.startswith("bs=4k: ")
    assert re.search(r"depth-not-reached: .* 16 ", first)
    assert second.startswith("bs=8k: ")
    assert re.search(r"warnings as above: .*depth-not-reached", second)
