"""assay report: every kind of subject in every format, and what cannot be reported."""

import gzip
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import Result, run

JOB = ["--name=j", "--filename=sim:nvme-enterprise,scale=1000", "--bs=4k", "--iodepth=8",
       "--runtime=6s", "--time_based=1"]  # fmt: skip
HOSTILE = "<script>alert('x')</script>\"'&"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two runs and one of assay quick, and the JSON of the first run."""
    folder = tmp_path_factory.mktemp("report")
    store = f"--store={folder / 'store.db'}"
    run(["run", *JOB, "--rw=randrw", store, "--format=json", "-o", folder / "run.json"]).check()
    run(["run", *JOB, "--rw=randrw", "--iodepth=1", store]).check()
    run(["quick", "sim:nvme-enterprise,scale=1000", store, "--time=500ms",
         "--cells=RND4K-Q1T1"]).check()  # fmt: skip
    return folder


def report(kept: Path, *args: Any) -> Result:
    return run(["report", f"--store={kept / 'store.db'}", *args])


@pytest.mark.usefixtures("assay")
class TestReport:
    def test_html_is_one_file_without_addresses(self, kept):
        report(kept, "r1", "-o", kept / "a.html").check()
        page = (kept / "a.html").read_text()
        assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
        page = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
        assert "default-src 'none'" in page
        assert set(re.findall(r"https?://[^\"' ]*", page)) <= {
            "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # fmt: skip
        assert len(re.findall("<figure id=", page)) == 11
        assert page.index("class=\"verdict\"") < page.index("<figure")
        assert "simulated" in page[: page.index("<figure")]

    def test_a_run_and_its_json_make_the_same_figures(self, kept):
        from_store = report(kept, "r1", "--format=csv").check().out
        from_file = report(kept, kept / "run.json", "--format=csv").check().out

        def figures(text: str) -> str:
            return text[text.index("Completions over") : text.index("## to run it again")]

        assert figures(from_store) == figures(from_file)

    def test_csv_holds_the_numbers_of_the_json(self, kept):
        rows = json.loads((kept / "run.json").read_text())["series"]
        lines = report(kept, "r1", "--format=csv").check().out.splitlines()
        at = lines.index(next(line for line in lines if line.startswith("Bandwidth over")))
        assert lines[at + 1] == "time since the start,read (MB/s),write (MB/s)"
        whole = [row for row in rows if not row["partial"]]
        for row, line in zip(whole, lines[at + 2 :], strict=False):
            _, read, write = map(float, line.split(","))
            assert read == pytest.approx(row["read"]["bytes"] / 1e6)
            assert write == pytest.approx(row["write"]["bytes"] / 1e6)

    def test_text_is_what_a_terminal_without_a_name_gets(self, kept):
        out = report(kept, "@last~1").check().out
        assert "Latency by percentile" in out and "p99" in out
        assert max(map(len, out[: out.index("to run it again")].splitlines())) <= 80

    def test_markdown_can_be_pasted(self, kept):
        report(kept, "r1", "-o", kept / "a.md").check()
        page = (kept / "a.md").read_text()
        assert page.startswith("## ") and "| verdict |" in page and "\n```\nassay run -" in page

    def test_the_job_text_runs_again(self, kept):
        page = report(kept, "r1", "--format=markdown").check().out
        command = re.search(r"```\n(assay run - <<'END-OF-JOB'\n(.*?))END-OF-JOB", page, re.DOTALL)
        assert command
        again = run(["run", "-", "--no-store", "--format=json"], stdin=command[2]).check().json()
        assert again["simulated"] is True

    def test_figures_are_svg_and_png(self, kept):
        folder = kept / "figures"
        report(kept, "r1", f"--figures={folder}").check()
        names = {path.stem for path in folder.glob("*.svg")}
        assert {"iops", "bandwidth", "latency-read", "percentiles", "histogram"} <= names
        assert {"iops-log", "field-read", "field-read-linear"} <= names
        for path in folder.glob("*.svg"):
            ElementTree.parse(path)
        assert {path.stem for path in folder.glob("*.png")} == names
        assert all(path.read_bytes()[:4] == b"\x89PNG" for path in folder.glob("*.png"))

    def test_quick_writes_one_and_says_where_last(self, kept):
        out = run(["quick", "sim:nvme-enterprise,scale=1000", f"--store={kept / 'store.db'}",
                   "--time=200ms", "--cells=RND4K-Q1T1"]).check().out  # fmt: skip
        path = Path(out.splitlines()[-1])
        assert path.parent == kept / "reports"
        assert "short form" in path.read_text()
        before = len(list(path.parent.iterdir()))
        run(["quick", "sim:nvme-enterprise,scale=1000", f"--store={kept / 'store.db'}",
             "--time=200ms", "--cells=RND4K-Q1T1", "--no-report"]).check()  # fmt: skip
        assert len(list(path.parent.iterdir())) == before

    def test_json_of_quick_stays_json(self, kept):
        said = run(["quick", "sim:nvme-enterprise,scale=1000", f"--store={kept / 'store.db'}",
                    "--time=200ms", "--cells=RND4K-Q1T1", "--format=json"]).check()  # fmt: skip
        assert said.json()["runs"]
        assert "reports/" in said.err.splitlines()[-1]

    def test_quick_in_html_has_a_curve_for_each_load(self, kept):
        page = report(kept, "r3", "--format=html").check().out
        for load in ("read", "write", "mix"):
            assert f'<figure id="percentiles-{load}">' in page
        assert 'class="mark">short form' in page

    def test_a_plan_shows_its_rounds(self, kept, scratch):
        plan = scratch.path / "two.plan"
        plan.write_text("[global]\nbs=4k\nrw=randwrite\niodepth=8\n\n[steady]\nstep=rounds\n"
                        "runtime=1s\nmax_rounds=6\nuntil=steady(iops, window=5, range=20%, slope=10%)\n")
        store = f"--store={scratch.path / 'plans.db'}"
        run(["plan", "run", plan, "sim:nvme-enterprise,scale=1000", store]).check()
        page = run(["report", "@plan", store, "--format=html"]).check().out
        assert "average of the window" in page and "+- 10 %" in page
        assert re.search(r'<figure id="rounds-0-0-\d-0">', page)

    def test_the_environment_stands_in_it(self, scratch):
        store = f"--store={scratch.path / 'e.db'}"
        run(["run", store, "--name=j", f"--filename={scratch.path / 'f'}", "--rw=read", "--bs=64k",
             "--size=1m", "--ioengine=psync"]).check()  # fmt: skip
        page = run(["report", "@last", store, "--format=markdown"]).check().out
        assert "| environment | of | before | after |" in page and "kernel" in page

    def test_quick_says_its_environment_and_what_its_percentiles_rest_on(self, scratch):
        store = f"--store={scratch.path / 'q.db'}"
        run(["quick", scratch.path, store, "--size=16m", "--time=500ms", "--cells=RND4K-Q1T1",
             "--no-report"]).check()  # fmt: skip
        page = run(["report", "@last", store, "--format=html"]).check().out
        rows = re.findall(r"<tr><td>(\w+)</td><td>host</td><td>(.*?)</td><td>(.*?)</td>", page)
        assert ("kernel", os.uname().release, "the same") in rows
        for load in ("read", "write", "mix"):
            figure = page[page.index(f'<figure id="percentiles-{load}">') :]
            assert re.search(r"RND4K Q1T1, [\d,]+ requests", figure[: figure.index("</figure>")])

    def test_several_runs_are_compared(self, kept):
        page = report(kept, "r1", "r2", "--format=html").check().out
        assert "Runs side by side" in page and "<table" in page

    def test_logs_have_density_and_verdict(self, scratch, kept):
        log = scratch.path / "a_lat.1.log"
        stall = {3301: 1_310_000_000}
        log.write_text("".join(f"{i}, {stall.get(i, 100_000 + i % 97 * 1000)}, {i % 2}, 4096, 0\n"
                               for i in range(1, 5000) if not 1999 < i <= 3300))  # fmt: skip
        page = report(kept, log, "--format=html", "--title=" + HOSTILE).check().out
        assert '<figure id="field">' in page and "<script>alert" not in page
        assert '<td class="fail">fail</td>' in page
        assert "no completions" in page

    def test_the_slowest_requests_of_a_log_are_named(self, scratch, kept):
        log = scratch.path / "a_lat.1.log"
        slow = {700: 9_000_000, 30: 250_000_000}
        log.write_text("".join(f"{i}, {slow.get(i, 100_000 + i)}, {i % 2}, 4096, {i * 4096}, 0\n"
                               for i in range(1, 2000)))  # fmt: skip
        page = report(kept, log, "--format=markdown").check().out
        table = page[page.index("slowest requests, by completion") :].splitlines()[2:52]
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
        assert rows[0] == ["0.030 s", "250 ms", "read", "4 KiB", "122,880"]
        assert rows[1][:3] == ["0.700 s", "9 ms", "read"]
        assert len(rows) == 50 and rows[2][0] == "1.999 s"

    def test_slow_requests_are_mapped_where_offsets_were_logged(self, scratch, kept):
        log = scratch.path / "a_lat.1.log"
        slow = {700: 9_000_000, 30: 250_000_000}
        rows = [(i, slow.get(i, 100_000 + i), i % 2, 4096, i * 1_000_000) for i in range(1, 4000)]
        log.write_text("".join(", ".join(map(str, row)) + ", 0\n" for row in rows))
        page = report(kept, log, "--format=csv").check().out
        part = page[page.index("Where the slowest requests went") :].split("\n\n")[0]
        points = {tuple(map(float, line.split(","))) for line in part.splitlines() if line[:1].isdigit()}
        worst = sorted(rows, key=lambda row: -row[1])[:2000]
        assert points == {(row[0] / 1000, row[4] / 1e9) for row in worst}
        text = report(kept, log).check().out
        assert "The 2000 slowest of 3,999 requests" in text and "above 200 ms: 0.03" in text
        log.write_text("".join(f"{row[0]}, {row[1]}, {row[2]}, 4096, 0\n" for row in rows))
        assert "slow-map" not in report(kept, log, "--format=html").check().out

    def test_packed_logs_are_logs_whatever_their_first_bytes_look_like(self, scratch, kept):
        log = scratch.path / "fio{_lat.1.log.gz"
        with log.open("wb") as file, gzip.GzipFile("fio{_lat.1.log", "wb", fileobj=file) as packed:
            packed.write(b"".join(b"%d, 1000, 0, 4096, 0\n" % i for i in range(1, 4000)))
        assert b"fio{" in log.read_bytes()[:63]
        assert "rules passed" in report(kept, log, "--unit=ns").check().out

    def test_names_from_outside_are_text(self, kept, scratch):
        path = scratch.path / f"{HOSTILE.replace('/', '|')}.dat"
        path.write_bytes(bytes(1 << 20))
        store = f"--store={scratch.path / 'h.db'}"
        run(["run", store, f"--name={HOSTILE}", f"--filename={path}", "--rw=read", "--bs=64k",
             "--size=1m", "--ioengine=psync"]).check()  # fmt: skip
        page = run(["report", store, "@last", "--format=html"]).check().out
        assert "<script>alert" not in page and "&lt;script&gt;" in page

    @pytest.mark.parametrize(
        ("lang", "words"),
        [("zh", ["判定", "通过", "测试内容", "延迟随时间", "重新运行", "2026年"]),
         ("ja", ["判定", "合格", "試験したもの", "レイテンシの推移", "もう一度実行するには"])],
    )  # fmt: skip
    def test_languages(self, kept, lang, words):
        page = report(kept, "r1", "--format=html", f"--lang={lang}").check().out
        assert f'<html lang="{lang}">' in page
        assert not [word for word in words if word not in page and word != "2026年"]
        assert re.search(r"\d{4}年\d\d月\d\d日", page)
        for english in ("what was tested", "Latency over time", "worst intervals", "no completions"):
            assert f">{english}" not in page
        text = report(kept, "r1", f"--lang={lang}").check().out
        assert words[0] in text

    def test_lang_of_the_environment_is_quicks(self, kept):
        said = run(["quick", "sim:nvme-enterprise,scale=1000", f"--store={kept / 'store.db'}",
                    "--time=200ms", "--cells=RND4K-Q1T1", "--no-report"],
                   env={"LC_ALL": "", "LANG": "ja_JP.UTF-8"}).check()  # fmt: skip
        assert "読み取り" in said.out and "として保存" in said.out
        said = run(["quick", "sim:nvme-enterprise,scale=1000", "--no-store", "--time=200ms",
                    "--cells=RND4K-Q1T1"], env={"LC_ALL": "C", "LANG": "ja_JP.UTF-8"})  # fmt: skip
        assert said.check().out.isascii()

    def test_every_catalogue_is_complete(self, need):
        need(None if shutil.which("xgettext") else "no xgettext (package gettext)")
        repo = Path(__file__).resolve().parents[2]
        done = subprocess.run([repo / "tools" / "messages", "check"], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    @pytest.mark.parametrize(
        ("args", "words", "code"),
        [
            ([], "of what", 4),
            (["r99"], "r99", 4),
            (["./no-such.json"], "no-such.json", 6),
            (["r1", "--format=pdf"], "html, markdown, csv, text", 4),
            (["r1", "-o", "/nonexistent/a.html"], "/nonexistent/a.html", 6),
            (["r1", "--figures=/nonexistent/a/b"], "/nonexistent/a/b", 6),
            (["r1", "--figures="], "--figures", 4),
            (["r1", "--policy=nonesuch"], "nonesuch", 4),
            (["r1", "--colour=red"], "colour", 4),
            (["r1", "--lang=xx"], "en, zh, ja", 4),
        ],
    )
    def test_errors_name_the_thing(self, kept, args, words, code):
        said = report(kept, *args).check(code)
        assert words in said.err

    def test_logs_and_results_do_not_mix(self, kept, scratch):
        log = scratch.path / "a_lat.1.log"
        log.write_text("1, 100000, 0, 4096, 0\n")
        assert "apart" in report(kept, "r1", log).check(4).err
