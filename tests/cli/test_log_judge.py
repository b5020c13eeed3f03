"""assay log judge, compare and plot: synthetic logs whose answers are known, and Debian's fio."""

import json
import math
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rigs import oracle
from rigs.assay import Result, run

RATE = 1000
STALL = (3.0, 5.2)


def rows(
    seconds: int,
    *,
    seed: int = 1,
    scale: float = 1,
    stall: tuple[float, float] | None = None,
    late_ns: float = 2.2e9,
) -> Iterator[tuple[int, int, int]]:
    """Completion in ms, latency in ns, direction: RATE a second, log-normal around 100 us; in a
    stall nothing, and after it the 32 requests that waited."""
    dice = random.Random(seed)
    for i in range(1, seconds * RATE + 1):
        at = i * 1000 / RATE
        latency = 100e3 * scale * math.exp(0.3 * dice.gauss(0, 1))
        direction = int(dice.random() < 0.7)
        if stall and stall[0] * 1000 < at <= stall[1] * 1000:
            continue
        if stall and stall[1] * 1000 < at <= stall[1] * 1000 + 32:
            latency = late_ns
        yield int(at - 1e-6), int(latency), direction


@pytest.fixture
def log(scratch) -> Callable[..., Path]:
    def write(name: str, seconds: int, line: str = "{0}, {1}, {2}, 4096, 0", **how) -> Path:
        path = scratch.path / name
        path.write_text("".join(line.format(*row) + "\n" for row in rows(seconds, **how)))
        return path

    return write


def judge(*args) -> Result:
    return run(["log", "judge", *args])


def rule(verdict: dict, name: str) -> dict:
    return next(r for r in verdict["rules"] if r["rule"] == name)


@pytest.mark.usefixtures("assay")
class TestJudge:
    def test_a_stall_is_two_empty_seconds(self, log):
        """The event that seed 003 asks for: in fio's own tools a flat line."""
        result = judge(log("a_lat.1.log", 10, stall=STALL), "--format=json").check(1)
        zeros = rule(result.json(), "zeros")
        assert zeros["outcome"] == "fail"
        assert zeros["comparisons"][0]["measured"]["value"] == 2
        span = zeros["comparisons"][0]["worst_spans"][0]
        assert span["begin_s"] == pytest.approx(3.0, abs=0.002)
        assert span["end_s"] == pytest.approx(5.2, abs=0.002)
        stalls = rule(result.json(), "stalls")
        assert stalls["outcome"] == "fail"
        assert stalls["comparisons"][0]["measured"]["value"] == 32

    def test_text_names_the_span(self, log):
        out = judge(log("a_lat.1.log", 10, stall=STALL)).check(1).out
        assert "zeros: fail" in out
        assert "2.999 s to 5.200 s" in out

    def test_a_pause_without_requests_is_no_zero(self, log):
        result = judge(log("a_lat.1.log", 10, stall=STALL, late_ns=1e5), "--format=json").check(2)
        zeros = rule(result.json(), "zeros")
        assert zeros["outcome"] == "pass"
        assert "2 empty intervals with nothing outstanding" in zeros["comparisons"][0]["beside"]

    def test_a_log_of_iops_cannot_tell_unless_said(self, log):
        path = log("a_iops.1.log", 10, "{0}, 1, {2}, 4096, 0", stall=STALL)
        result = judge(path, "--format=json").check(2)
        zeros = rule(result.json(), "zeros")
        assert zeros["outcome"] == "cannot tell"
        assert "--outstanding" in zeros["comparisons"][0]["measured"]["reason"]
        assert rule(result.json(), "latency")["outcome"] == "cannot tell"
        result = judge(path, "--format=json", "--outstanding").check(1)
        assert rule(result.json(), "zeros")["outcome"] == "fail"

    def test_a_short_run_says_how_many_more(self, log):
        result = judge(log("a_lat.1.log", 60), "--format=json").check(2)
        stalls = rule(result.json(), "stalls")
        assert stalls["outcome"] == "cannot tell"
        assert stalls["comparisons"][1]["samples_needed"] == pytest.approx(2995733, rel=1e-3)
        for name in ("maxima", "zeros", "latency"):
            assert rule(result.json(), name)["outcome"] == "pass"

    def test_job_logs_merged_are_the_sorted_file(self, log, scratch):
        whole = log("all_lat.1.log", 10, stall=STALL)
        lines = whole.read_text().splitlines(keepends=True)
        parts = []
        for job in range(16):
            part = scratch.path / f"part_lat.{job + 1}.log"
            part.write_text("".join(lines[job::16]))
            parts.append(part)
        one = judge(whole, "--format=json").check(1).json()
        many = judge(*parts, "--format=json").check(1).json()
        for verdict in (one, many):
            del verdict["subject"]
        assert one == many

    def test_the_first_and_last_interval_in_part_are_left_out_and_said(self, log, scratch):
        path = scratch.path / "b_lat.1.log"
        lines = log("a_lat.1.log", 10).read_text().splitlines(keepends=True)
        path.write_text("".join(lines[500:9500]))
        verdict = judge(path, "--format=json").check(2).json()
        assert verdict["partial_first"] and verdict["partial_last"]
        assert verdict["intervals"] == 8
        assert "first and the last, measured only in part" in " ".join(judge(path).out.split())

    def test_junit_is_xml_that_counts(self, log):
        result = judge(log("a_lat.1.log", 10, stall=STALL), "--format=junit").check(1)
        suite = ElementTree.fromstring(result.out).find("testsuite")
        assert suite is not None
        assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "")) >= 2

    def test_markdown_has_tables(self, log):
        out = judge(log("a_lat.1.log", 10), "--format=markdown").out
        assert "| zero\\_intervals == 0" in out

    def test_a_policy_of_ones_own(self, log, scratch):
        policy = scratch.path / "mine.policy"
        policy.write_text("interval = 500ms\n[tail] short\nread.p99 < 1ms\niops >= 90% of spec.iops\n")
        path = log("a_lat.1.log", 10)
        args = (path, f"--policy={policy}", "--format=json")
        verdict = judge(*args, "--spec=iops=1000").check(0).json()
        assert verdict["intervals"] == 20
        judge(*args, "--spec=iops=2000").check(1)
        assert "spec.iops" in judge(*args).check(4).err

    def test_shipped_policies_are_read(self, log):
        path = log("a_lat.1.log", 10)
        for name, code in (("etcd", 0), ("act", 1), ("ocp", 2)):
            judge(path, f"--policy={name}").check(code)

    def test_errors_name_the_remedy(self, log, scratch):
        lat = log("a_lat.1.log", 2)
        iops = log("a_iops.1.log", 2, "{0}, 1, {2}, 4096, 0")
        windowed = log("w_lat.2.log", 2, "{0}, {1}, {2}, 0, 0")
        bad = scratch.path / "bad.policy"
        bad.write_text("[a] b\np99.9 < 5\n")
        empty = scratch.path / "e_lat.1.log"
        empty.write_text("")
        for args, words in (
            ((lat, iops), "would count twice"),
            ((lat, windowed), "is a windowed log"),
            ((windowed, "--window=5s"), "say --interval=5.000s or more"),
            ((lat, "--policy=nosuch"), "default, act, consistency, etcd, ocp"),
            ((lat, f"--policy={bad}"), 'line 2: check "p99.9 < 5", at column 9'),
            ((lat, "--format=pdf"), "text, json, junit, markdown"),
            ((empty, "--unit=ns", "--windowed=no"), "holds no sample"),
        ):
            assert words in judge(*args).check(4).err

    def test_debians_fio(self, scratch, need):
        """Counts, bytes and the extremes of fio's own log are those of its JSON."""
        need(oracle.why_not())
        fio = run(
            [
                "--name=j", "--ioengine=psync", "--rw=randrw", "--bs=4k", "--size=8m",
                f"--filename={scratch.path}/data", f"--write_lat_log={scratch.path}/j",
                "--output-format=json", "--time_based", "--runtime=3",
            ],
            program="/usr/bin/fio",
            cwd=scratch.path,
        ).check()
        job = json.loads(fio.out)["jobs"][0]
        verdict = judge(scratch.path / "j_lat.1.log", "--format=json").json()
        assert verdict["requests"] == job["read"]["total_ios"] + job["write"]["total_ios"]
        policy = scratch.path / "p.policy"
        longest = max(job[d]["lat_ns"]["max"] for d in ("read", "write"))
        policy.write_text(
            f"[all] equal to fio's figures\nmax == {longest}ns\n"
            f"read.bytes == {job['read']['io_bytes']}B\n"
            f"write.count == {job['write']['total_ios']}\n"
        )
        judge(scratch.path / "j_lat.1.log", f"--policy={policy}").check(0)


    def test_a_result_is_judged_as_a_log_is(self, scratch):
        """The same run, once by its rows: counts and the extremes are those of its JSON."""
        result = scratch.path / "result.json"
        how = [f"--filename={scratch.path}/data", "--size=8m", "--rw=randread", "--runtime=4s"]
        run(["run", "--name=j", *how, "--time_based", "--format=json", "-o", result]).check(0)
        policy = scratch.path / "p.policy"
        policy.write_text("[a] all\ncount > 1000\nzero_intervals == 0\np99 < 1s\nmax < 10s\n")
        verdict = judge(result, f"--policy={policy}", "--format=json").check(0).json()
        assert 2 <= verdict["intervals"] <= 4
        assert verdict["rules"][0]["comparisons"][1]["measured"]["value"] == 0
        store = f"--store={scratch.path}/results.db"
        run(["results", "import", store, result]).check(0)
        kept = judge("r1", store, f"--policy={policy}", "--format=json").check(0).json()
        assert kept["rules"] == verdict["rules"]
        assert "r1" in kept["subject"]
        judge("nosuch", store).check(4)
        broken = scratch.path / "broken.json"
        broken.write_text('{"schema_version": ')
        assert "broken.json" in judge(broken).check(4).err


def sibling(path: Path, log: Path, runtime_ms: int, starts_ms: tuple[int, ...] = (0,)) -> None:
    """fio's JSON beside a log, with totals that are right."""
    jobs: list[dict] = []
    for start_ms in starts_ms:
        job: dict = {"jobname": "a", "job_start": start_ms, "job options": {"iodepth": "32"}}
        for number, name in enumerate(("read", "write", "trim")):
            ios = sum(row.split(", ")[2] == str(number) for row in log.read_text().splitlines())
            job[name] = {"total_ios": ios, "io_bytes": ios * 4096, "runtime": runtime_ms,
                         "lat_ns": {}}  # fmt: skip
        jobs.append(job)
    path.write_text(json.dumps({"fio version": "fio-3.37", "jobs": jobs}))


def windows(path: Path, value: float, seed: int = 1) -> Path:
    """60 s of windows of 250 ms, those of three seconds missing; now and then a millisecond
    late, as fio writes them."""
    dice = random.Random(seed)
    lines = []
    for number in range(1, 241):
        at = number * 250 + (dice.random() < 0.3)
        if 20250 <= at <= 23001:
            continue
        lines += [f"{at}, {int(value * dice.gauss(1, 0.05))}, {op}, 0, 0\n" for op in (0, 1)]
    path.write_text("".join(lines))
    return path


@pytest.mark.usefixtures("assay")
class TestWindows:
    """A windowed log holds one figure: what it tells is told, the rest cannot be."""

    def test_missing_windows_are_empty_intervals(self, scratch):
        path = windows(scratch.path / "a_iops.1.log", 800)
        verdict = judge(path, "--format=json").check(2).json()
        zeros = rule(verdict, "zeros")
        assert zeros["outcome"] == "cannot tell"
        assert "3 intervals" in zeros["comparisons"][0]["measured"]["reason"]
        verdict = judge(path, "--format=json", "--outstanding").check(1).json()
        zeros = rule(verdict, "zeros")
        assert zeros["comparisons"][0]["measured"]["value"] == 3
        for name in ("maxima", "latency", "stalls"):
            assert rule(verdict, name)["outcome"] == "cannot tell"
            reason = rule(verdict, name)["comparisons"][0]["measured"]["reason"]
            assert "holds means" in reason

    @pytest.mark.parametrize(
        ("kind", "figure", "known", "unknown"),
        [
            ("iops", 800 * 2 * 57 / 60, "iops > 1\nvariation < 100%", "bandwidth > 1B/s"),
            ("bw", 3200 * 1024 * 2 * 57 / 60, "bandwidth > 1MB/s\nvariation < 100%", "iops > 1"),
            ("lat", 100e3, "intervals == 60", "iops > 1\nconsistency > 1%\nmean < 1s"),
        ],
    )
    def test_only_what_it_holds_is_known(self, scratch, kind, figure, known, unknown):
        values = {"iops": 800, "bw": 3200, "lat": 100e3}
        path = windows(scratch.path / f"a_{kind}.1.log", values[kind])
        policy = scratch.path / "p.policy"
        for lines, code in ((known, 0), (unknown, 2)):
            policy.write_text(f"[a] b\n{lines}\n")
            rules = judge(path, f"--policy={policy}", "--format=json").check(code).json()["rules"]
            found = rules[0]["comparisons"]
            assert all((c["outcome"] == "pass") == (code == 0) for c in found)
        other = windows(scratch.path / f"b_{kind}.1.log", 1.3 * values[kind], seed=2)
        result = run(["log", "compare", path, other, "--format=json"]).check(0).json()
        whole = next(f for f in result["figures"] if f["direction"] == "all")
        assert whole["a"] == pytest.approx(figure, rel=0.02)
        assert whole["low"] < 1.3 < whole["high"]
        svg = scratch.path / "w.svg"
        run(["log", "plot", path, "-o", svg]).check(0)
        title = {"iops": "Completions", "bw": "Bandwidth", "lat": "Mean latency"}[kind]
        assert f"{title} over time" in svg.read_text()

    def test_requests_are_not_made_up(self, scratch):
        path = windows(scratch.path / "a_bw.1.log", 3200)
        assert judge(path, "--format=json").check(2).json()["requests"] is None
        assert "not in this log" in judge(path).check(2).out


@pytest.mark.usefixtures("assay")
class TestBesideJson:
    def test_silence_at_the_end_is_told_by_the_runtime(self, log, scratch):
        """The drive stops at 10 s, the run goes on to 14 s: no row says so, the JSON does."""
        path = log("a_lat.1.log", 10)
        sibling(scratch.path / "a.json", path, 14000)
        result = judge(path, "--format=json").check(2)
        verdict = result.json()
        assert verdict["intervals"] == 14
        zeros = rule(verdict, "zeros")
        assert zeros["outcome"] == "cannot tell"
        assert "4 intervals" in zeros["comparisons"][0]["measured"]["reason"]
        assert any("the run ended at 14.000 s" in note for note in verdict["notes"])
        verdict = judge(path, "--format=json", "--outstanding").check(1).json()
        assert rule(verdict, "zeros")["comparisons"][0]["measured"]["value"] == 4
        table = run(["log", "bin", path]).check(0)
        assert len(table.out.splitlines()) == 15
        assert table.out.splitlines()[-1].startswith("13,14,0,0,0,0,")
        assert "nothing completed between" in table.err

    def test_a_row_too_few_is_a_note_of_the_verdict(self, log, scratch):
        path = log("a_lat.1.log", 10)
        sibling(scratch.path / "a.json", path, 10000)
        result = judge(path, "--format=json").check(2)
        assert "rows and bytes agree" in result.err
        told = " ".join(judge(path, "--format=text").out.split())
        assert "against its totals rows and bytes agree with" in told
        assert not any("does not agree" in note for note in result.json()["notes"])
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        result = judge(path, "--format=json").check(2)
        assert "rows of" in result.err and "requests with" in result.err
        assert any("does not agree" in note for note in result.json()["notes"])

    def test_bytes_are_checked_too(self, log, scratch):
        path = log("a_lat.1.log", 2)
        sibling(scratch.path / "a.json", path, 2000)
        for command in ("bin", "info"):
            assert "rows and bytes agree" in run(["log", command, path]).check(0).err
        text = path.read_text()
        path.write_text(text.replace(", 4096, ", ", 8192, ", 1))
        for command in ("bin", "info"):
            assert "bytes, where" in run(["log", command, path]).check(0).err

    def test_a_later_job_is_laid_where_it_ran(self, log, scratch):
        """Times count from each job's own start; newer JSONs say when that was."""
        first, second = log("a_lat.1.log", 2), log("a_lat.2.log", 2)
        sibling(scratch.path / "a.json", first, 2000, (1700000000000, 1700000003000))
        table = run(["log", "bin", first, second]).check(0).out.splitlines()
        assert [int(row.split(",")[2]) for row in table[1:]] == [1000, 1000, 0, 1000, 1000]


@pytest.mark.usefixtures("assay")
class TestLiveRun:
    """`assay run --policy=`: the same judge, as soon as the run has ended."""

    HOW = (
        "run", "--no-store", "--name=j", "--filename=sim:sata-enterprise,scale=100",
        "--rw=randread", "--runtime=3s", "--time_based", "--destroy=sim",
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("check", "code"), [("p99 < 10s", 0), ("p99 < 1ns", 1), ("p99.99999999 < 1s", 2)]
    )
    def test_the_verdict_is_the_exit_code(self, scratch, check, code):
        policy = scratch.path / "p.policy"
        policy.write_text(f"[mine] a rule of one line\n{check}\n")
        result = run([*self.HOW, f"--policy={policy}"]).check(code)
        words = {0: "mine: pass", 1: "mine: fail", 2: "mine: cannot tell"}
        assert words[code] in result.out
        result = run([*self.HOW, f"--policy={policy}", "--format=json"]).check(code)
        assert words[code] in result.err
        result.json()

    def test_a_bad_policy_is_known_before_the_run(self, scratch):
        policy = scratch.path / "p.policy"
        policy.write_text("[mine] a rule\np99 < 5\n")
        target = scratch.path / "data"
        args = ["run", "--no-store", "--name=j", f"--filename={target}", "--size=1m"]
        assert "line 2" in run([*args, f"--policy={policy}"]).check(4).err
        assert not target.exists()


@pytest.mark.usefixtures("assay")
class TestCompare:
    def test_the_same_load_is_not_different(self, log):
        a, b = log("a_lat.1.log", 60), log("b_lat.1.log", 60, seed=2)
        result = run(["log", "compare", a, b, "--format=json"]).check(0).json()
        told = [f for f in result["figures"] if f["outcome"] != "cannot tell"]
        assert len(told) <= 1
        assert len(result["figures"]) >= 12

    def test_thirty_percent_are_seen(self, log):
        a, b = log("a_lat.1.log", 60), log("b_lat.1.log", 60, seed=2, scale=1.3)
        result = run(["log", "compare", a, b, "--format=json", "--margin=5%"]).check(1).json()
        for figure in result["figures"]:
            if figure["figure"] in ("mean", "p50", "p90"):
                assert figure["outcome"] == "higher"
                assert figure["low"] < 1.3 < figure["high"] or figure["figure"] != "mean"
        text = run(["log", "compare", a, b]).check(0).out
        assert "not of the drives" in text and "Scatter" in text

    def test_a_margin_is_a_gate(self, log):
        a, b = log("a_lat.1.log", 60), log("b_lat.1.log", 60, seed=2)
        run(["log", "compare", a, b, "--margin=30%"]).check(0)
        run(["log", "compare", a, b, "--margin=0.1%"]).check(2)

    def test_several_logs_a_side(self, log):
        a, b = log("a_lat.1.log", 20), log("a_lat.2.log", 20, seed=2)
        c = log("b_lat.1.log", 20, seed=3)
        result = run(["log", "compare", a, b, "--", c, "--format=json"]).check(0).json()
        iops = next(
            f for f in result["figures"] if f["figure"] == "IOPS" and f["direction"] == "all"
        )
        assert iops["a"] == pytest.approx(2 * iops["b"], rel=0.01)
        assert "-- between" in run(["log", "compare", a]).check(4).err


@pytest.mark.usefixtures("assay")
class TestPlot:
    def test_files_of_every_format(self, log, scratch):
        path = log("a_lat.1.log", 10, stall=STALL)
        for ending in ("svg", "html"):
            out = scratch.path / f"out.{ending}"
            run(["log", "plot", path, "-o", out]).check(0)
            text = out.read_text()
            assert "2 empty intervals" in text and "data:image/png;base64," in text
            assert not re.search(r'(src|href)="(?!data:)', text)
            if ending == "svg":
                ElementTree.fromstring(text)
        out = scratch.path / "out.png"
        run(["log", "plot", path, "-o", out]).check(0)
        assert out.read_bytes().startswith(b"\x89PNG")

    def test_jobs_are_one_picture_and_runs_are_several(self, log, scratch):
        a, b = log("a_lat.1.log", 5), log("a_lat.2.log", 5, seed=2)
        c = log("c_lat.1.log", 5, seed=3)
        out = scratch.path / "out.svg"
        run(["log", "plot", a, b, "-o", out]).check(0)
        assert out.read_text().count("Latency over time") == 1
        run(["log", "plot", a, b, c, "-o", out]).check(0)
        assert out.read_text().count("Latency over time") == 2

    def test_the_terminal(self, log):
        path = log("a_lat.1.log", 10, stall=STALL)
        out = run(["log", "plot", path], env={"LC_ALL": "C.UTF-8"}).check(0).out
        assert "█" in out and "200 ms" in out
        ascii_out = run(["log", "plot", path]).check(0).out
        assert ascii_out.isascii()

    def test_errors(self, log, scratch):
        path = log("a_lat.1.log", 2)
        assert "svg, png, html, text" in run(["log", "plot", path, "-o", "x.pdf"]).check(4).err
        assert "-o NAME.png" in run(["log", "plot", path, "--format=png"]).check(4).err
