"""The page in a real Chromium: quiet, alone, inked, and true to the JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from rigs import browser
from rigs.assay import run

FIGURES = {"iops", "bandwidth", "latency-read", "latency-write", "field-read", "field-write",
           "written", "rhythm", "percentiles", "histogram", "exceedance", "temperature"}  # fmt: skip
WORST = "a[data-from]"
SPIKE_MS, SPIKE_NS = 7702, 5_000_000
PLACED = {1500: 300_000_000, 1501: 6_000_000}  # both complete at 0.75 s; offsets are 1 MB times the number


def make_pages(folder: Path) -> None:
    """run.html with run.json behind it, the same in zh.html and ja.html, log.html with a density, quick.html."""
    store = f"--store={folder / 'store.db'}"
    run(["run", "--name=j", "--bs=4k", "--rw=randrw",
         "--filename=sim:nvme-enterprise,scale=1000,command_time=100us",
         "--iodepth=8", "--runtime=80s", "--time_based=1", store, "--format=json",
         "-o", folder / "run.json"]).check()  # fmt: skip
    run(["report", "@last", store, "-o", folder / "run.html"]).check()
    for lang in ("zh", "ja"):
        run(["report", "@last", store, "-o", folder / f"{lang}.html", f"--lang={lang}"]).check()
    log = folder / "a_lat.1.log"
    log.write_text("".join(f"{i}, {SPIKE_NS if i == SPIKE_MS else 100_000 + i % 97 * 1000}, {i % 2}, 4096, 0\n"
                           for i in range(1, 9000) if not 3999 < i <= 6300))  # fmt: skip
    run(["report", log, "-o", folder / "log.html"]).check()
    run(["report", log, "-o", folder / "dense.html", "--interval=5ms"]).check()
    placed = folder / "p_lat.1.log"
    placed.write_text("".join(f"{i // 2}, {PLACED.get(i, 100_000 + i % 97)}, 0, 4096, {i * 1_000_000}, 0\n"
                              for i in range(2, 3000)))  # fmt: skip
    run(["report", placed, "-o", folder / "placed.html"]).check()
    stall = folder / "stall_lat.1.log"
    stall.write_text("".join(f"{i}, {70_000_000 if i == 20470 else 100_000}, 0, 4096, 0\n"
                             for i in range(1, 40001) if not 20400 < i < 20470))  # fmt: skip
    run(["report", stall, "-o", folder / "stall.html"]).check()
    other = folder / "b_lat.1.log"
    other.write_text("".join(f"{i}, {150_000 + i % 89 * 1500}, {i % 2}, 4096, 0\n"
                             for i in range(1, 9000)))  # fmt: skip
    run(["report", log, other, "-o", folder / "logs.html", "--interval=10ms"]).check()
    run(["run", "--name=k", "--filename=sim:sata-consumer,scale=1000", "--bs=4k", "--rw=randrw",
         "--iodepth=8", "--runtime=10s", "--time_based=1", store]).check()  # fmt: skip
    run(["report", "r1", "r2", store, "-o", folder / "runs.html"]).check()
    run(["run", "--name=k", "--filename=sim:sata-consumer,scale=1000", "--bs=4k", "--rw=randrw",
         "--iodepth=1", "--runtime=10s", "--time_based=1", store]).check()  # fmt: skip
    run(["report", "r2", "r3", store, "-o", folder / "depths.html"]).check()
    run(["plan", "run", "pts-iops", "sim:pcie-mlc-1.2t", "--scale=2000", "--set", "sizes=1024k,64k,4k", store,
         "--no-report"]).check()  # fmt: skip
    run(["report", "@plan", store, "-o", folder / "plan.html"]).check()
    run(["quick", "sim:nvme-enterprise,scale=1000", store, "--time=200ms",
         "--cells=RND4K-Q1T1,RND4K-Q32T1"]).check()  # fmt: skip
    run(["report", "@last", store, "-o", folder / "quick.html"]).check()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return browser.once(tmp_path_factory, "pages-of-report", make_pages)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pages: Path) -> dict[str, Any]:
    reason = browser.why_not()
    if not reason and "<script>" not in (pages / "run.html").read_text():
        reason = "this build's pages are static: uPlot was not there (npm)"
    if reason:
        pytest.skip(reason)
    folder = browser.once(tmp_path_factory, "seen-of-report", lambda folder: look_at(pages, folder / "seen"))
    return json.loads((folder / "seen").read_text())


def look_at(pages: Path, seen: Path) -> None:
    shot = browser.SCREENSHOTS
    jobs = {
        "run": {"path": "run.html", "hover": {"figure": "latency-read", "at": 0.41}},
        "curve": {"path": "run.html", "hover": {"figure": "percentiles", "at": 0.5}},
        "zoomed": {"path": "run.html", "zoom": [10, 20]},
        "worst": {"path": "run.html", "click": f"tr:has({WORST}):last-child {WORST}"},
        "heat": {"path": "run.html", "hover": {"figure": "field-read", "at": 0.41}},
        "above": {"path": "run.html", "hover": {"figure": "field-write", "at": 0.41, "down": 0.01}},
        "linear": {"path": "run.html", "click": "#field-read .scale"},
        "dark": {"path": "run.html", "scheme": "dark"},
        "still": {"path": "run.html", "script": False},
        "narrow": {"path": "run.html", "width": 360, "height": 740, "keys": 30},
        "narrow still": {"path": "run.html", "width": 360, "script": False},
        "paper": {"path": "run.html", "width": 703, "print": True},
        "plan on paper": {"path": "plan.html", "width": 703, "script": False, "print": True},
        "log": {"path": "log.html", "hover": {"figure": "field", "at": 0.2}},
        "dense": {"path": "dense.html",
                  "probe": {"figure": "latency-read", "x": SPIKE_MS / 1000, "y": SPIKE_NS * 0.9}},
        "bare": {"path": "dense.html",
                 "probe": {"figure": "latency-read", "x": SPIKE_MS / 1000 - 0.2, "y": SPIKE_NS * 0.9}},
        "placed": {"path": "placed.html", "hover": {"figure": "slow-map", "at": 0.5, "down": 0.5}},
        "placed still": {"path": "placed.html", "script": False},
        "stall there": {"path": "placed.html", "probe": {"figure": "slow-map", "x": 0.75, "y": 1.5}},
        "fast ones": {"path": "placed.html", "probe": {"figure": "slow-map", "x": 0.75, "y": 0.5}},
        "stall": {"path": "stall.html", "click": "a[data-from='19'][data-to='22']",
                  "hover": {"figure": "iops", "at": 0.479}},
        "logs": {"path": "logs.html", "zoom": [1, 4]},
        "logs narrow": {"path": "logs.html", "width": 360, "script": False},
        "log on a phone": {"path": "log.html", "width": 420},
        "runs": {"path": "runs.html", "hover": {"figure": "dots-latency-2", "at": 0.05}},
        "depths": {"path": "depths.html"},
        "quick": {"path": "quick.html"},
        "zh": {"path": "zh.html", "width": 360},
        "ja": {"path": "ja.html", "width": 360},
    }
    for name, job in jobs.items():
        job["path"] = str(pages / job["path"])
        if name in ("run", "dark", "still", "narrow", "paper", "log", "dense", "logs", "runs", "quick"):
            job["screenshot"] = str(shot / f"{name}.png")
    seen.write_text(json.dumps(dict(zip(jobs, browser.look(list(jobs.values())), strict=True))))


def test_nothing_is_wrong_and_nothing_is_asked_for(seen):
    for name, page in seen.items():
        assert page["errors"] == [], name
        assert page["requests"] == [], name


def test_every_figure_has_ink(seen):
    for name, page in seen.items():
        figures = {figure["id"]: figure for figure in page["figures"]}
        if name in ("log", "dense", "bare", "quick", "logs", "logs narrow", "runs", "depths", "plan on paper",
                    "stall", "log on a phone", "placed", "placed still", "stall there", "fast ones"):  # fmt: skip
            assert len(figures) >= 3
        else:
            assert set(figures) == FIGURES, name
        for figure in figures.values():
            still = page["charts"] == 0 or name == "paper"
            assert figure["live"] is not still
            few = figure["id"].startswith(("ratio-", "cells-"))  # two dots are all that it has
            least = 30 if few else 60
            assert figure["ink"] >= (1 if still else least), (name, figure)
            assert figure["height"] > 100, (name, figure)


def test_points_that_no_line_leads_to_are_drawn(seen):
    """Runs at one depth each have one point each in the graphs over depth."""
    cells = [figure for figure in seen["depths"]["figures"] if figure["id"].startswith("cells-")]
    assert len(cells) == 6
    assert min(figure["ink"] for figure in cells) >= 40


def test_all_fits_its_box(seen):
    for name, page in seen.items():
        assert page["overflow"] == [], name


def test_an_outcome_is_seen_on_a_narrow_screen(seen):
    for name in ("logs narrow", "log on a phone"):
        assert seen[name]["outcomes"]["count"] > 0
        assert seen[name]["outcomes"]["hidden"] == []


def test_a_tip_shows_what_the_json_holds(seen, pages):
    rows = [row for row in json.loads((pages / "run.json").read_text())["series"]
            if not row["partial"]]  # fmt: skip
    tips = {tip["figure"]: tip for tip in seen["run"]["tips"]}
    x = tips["latency-read"]["x"]
    row = rows[int(x)]
    assert row["begin_ns"] == int(x) * 10**9
    keys = {"median": "p50_ns", "p99": "p99_ns", "p99.9": "p99.9_ns", "maximum": "max_ns"}
    for line in tips["latency-read"]["lines"]:
        want = row["read"][keys[line["line"]]]
        assert float(line["low"]) == float(line["high"]) == float(f"{want:.4g}")
    rates = {line["line"]: float(line["low"]) for line in tips["iops"]["lines"]}
    assert rates["read"] == float(f"{row['read']['ios']:.4g}")
    assert rates["write"] == float(f"{row['write']['ios']:.4g}")


def test_the_cursor_is_in_all_charts_over_time(seen):
    tips = seen["run"]["tips"]
    lines = {"iops", "bandwidth", "latency-read", "latency-write", "temperature"}
    assert {tip["figure"] for tip in tips} == lines | {"field-read", "field-write"}
    assert len({tip["x"] for tip in tips if tip["figure"] in lines}) == 1
    assert {tip["figure"] for tip in seen["curve"]["tips"]} == {"percentiles"}


def test_zoom_is_the_same_in_all_charts_over_time(seen):
    assert {tuple(one) for one in seen["zoomed"]["ranges"]} == {(10, 20, 1)}


def test_a_painted_line_reaches_its_one_spike(seen):
    """1,800 intervals on some 900 columns of pixels: one of them has one slow request."""
    assert seen["dense"]["probe"] is True
    assert seen["bare"]["probe"] is False


def test_a_worst_interval_leads_to_its_place(seen):
    ranges = {tuple(one) for one in seen["worst"]["ranges"]}
    assert len(ranges) == 1
    low, high, _ = ranges.pop()
    assert 0 < high - low <= 21


def test_a_worst_interval_of_a_log_shows_its_stall_in_steps_of_10_ms(seen):
    assert {tuple(one[:2]) for one in seen["stall"]["ranges"]} == {(19, 22)}
    tips = {tip["figure"]: tip for tip in seen["stall"]["tips"]}
    assert 20.41 < tips["iops"]["x"] < 20.47
    assert float(tips["iops"]["lines"][0]["low"]) == 0


def test_the_density_tells_its_counts(seen):
    tip = next(tip for tip in seen["log"]["tips"] if tip["figure"] == "field")
    assert tip["lines"][0]["line"] == "field"


def test_a_heat_map_is_empty_beyond_what_it_holds(seen):
    tip = next(tip for tip in seen["above"]["tips"] if tip["figure"] == "field-write")
    assert tip["lines"][0]["low"] == "0"


def test_a_heat_map_of_a_run_is_seen_on_both_scales(seen):
    tip = next(tip for tip in seen["heat"]["tips"] if tip["figure"] == "field-read")
    assert tip["lines"][0]["line"] == "field"
    for name in ("run", "linear"):
        ink = {figure["id"]: figure["ink"] for figure in seen[name]["figures"]}
        assert ink["field-read"] > 500


def test_slow_requests_are_dots_where_they_went(seen):
    assert seen["stall there"]["probe"] is True
    assert seen["fast ones"]["probe"] is False
    for name in ("placed", "placed still"):
        assert "slow-map" in {figure["id"] for figure in seen[name]["figures"]}
    assert "slow-map" not in {figure["id"] for figure in seen["log"]["figures"]}


def test_of_dots_at_one_time_the_nearest_is_told(seen):
    tip = next(tip for tip in seen["placed"]["tips"] if tip["figure"] == "slow-map")
    [line] = tip["lines"]
    assert abs(float(tip["x"]) - 0.75) < 0.01
    assert 1.4 < float(line["low"]) == float(line["high"]) < 1.6


TOGETHER = ["dots-iops-1", "dots-iops-2", "dots-latency-1", "dots-latency-2",
            "percentiles-of-all", "shift"]  # fmt: skip


@pytest.mark.parametrize("name", ["logs", "runs"])
def test_two_drives_stand_beside_each_other_on_equal_axes(seen, name):
    figures = {figure["id"]: figure for figure in seen[name]["figures"]}
    assert set(TOGETHER) <= set(figures)
    for kind in ("dots-iops", "dots-latency"):
        a, b = figures[f"{kind}-1"], figures[f"{kind}-2"]
        assert a["top"] == b["top"] and a["left"] + a["width"] <= b["left"]
        assert a["width"] == b["width"] and a["axes"] == b["axes"]
    narrow = {figure["id"]: figure for figure in seen["logs narrow"]["figures"]}
    assert narrow["dots-iops-1"]["top"] < narrow["dots-iops-2"]["top"]


def test_all_is_reached_by_keyboard(seen):
    focus = seen["narrow"]["focus"]
    assert {"A", "scroll", "key", "plot", "all"} <= set(focus), focus
