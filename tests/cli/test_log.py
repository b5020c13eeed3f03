"""`assay log` on logs that Debian's fio writes: what comes out adds up to fio's own JSON."""

import csv
import gzip
import io
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rigs import oracle
from rigs.assay import run

JOB = ["--name=j", "--size=4m", "--rw=randrw", "--bs=4k", "--ioengine=psync", "--randseed=3"]
LOGS = [f"--write_{kind}_log=j" for kind in ("lat", "bw", "iops")]

VARIANTS = {
    "plain": [],
    "offset": ["--log_offset=1"],
    "prio": ["--log_prio=1"],
    "offset and prio": ["--log_offset=1", "--log_prio=1"],
    "mixed sizes": ["--bsrange=512-16k"],
    "two jobs": ["--numjobs=2"],
    "asynchronous": ["--ioengine=libaio", "--iodepth=8"],
}


def write_logs(folder: Path, *options: str) -> Any:
    """The JSON of the run, which is beside the logs too."""
    args = [*JOB, *LOGS, f"--directory={folder}", "--output-format=json", "--output=j.json"]
    result = oracle.fio([*args, *options], cwd=folder)
    assert result.rc == 0, result.err
    return json.loads((folder / "j.json").read_text())


def rows(text: str, **how: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), **how))


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_and_bytes_are_those_of_the_json(assay: Path, tmp_path: Path, variant: str) -> None:
    answer = write_logs(tmp_path, *VARIANTS[variant])
    for number, job in enumerate(answer["jobs"], 1):
        for kind in ("clat", "lat", "bw", "iops"):
            log = tmp_path / f"j_{kind}.{number}.log"
            info = run(["log", "info", "--format=json", log], program=assay)
            assert info.rc == 0, info.err
            assert "rows and bytes agree" in info.err
            found = info.json()[0]
            assert found["kind"] == kind
            for direction in ("read", "write"):
                for key in ("total_ios", "io_bytes"):
                    assert found[direction][key] == job[direction][key]


def test_extremes_and_means_are_those_of_the_json(assay: Path, tmp_path: Path) -> None:
    job = write_logs(tmp_path)["jobs"][0]
    args = ["log", "bin", "--interval=1h", "--by=direction", tmp_path / "j_clat.1.log"]
    result = run(args, program=assay)
    for row in rows(result.out):
        clat = job[row["direction"]]["clat_ns"]
        assert int(row["min_ns"]) == clat["min"]
        assert int(row["max_ns"]) == clat["max"]
        assert float(row["mean_ns"]) == pytest.approx(clat["mean"], rel=1e-6)
        for name, key in (("p50_ns", "50.000000"), ("p90_ns", "90.000000")):
            assert int(row[name]) == pytest.approx(clat["percentile"][key], rel=1 / 64)


def test_a_row_too_few_is_said(assay: Path, tmp_path: Path) -> None:
    write_logs(tmp_path)
    log = tmp_path / "j_clat.1.log"
    log.write_text("".join(log.read_text().splitlines(True)[:-1]))
    result = run(["log", "bin", log], program=assay)
    assert result.rc == 0
    assert "1023 rows with" in result.err and "1024 requests" in result.err


def test_windows_have_no_percentiles_and_say_so(assay: Path, tmp_path: Path) -> None:
    options = ["--time_based", "--runtime=2", "--rate_iops=400,400", "--log_avg_msec=250"]
    write_logs(tmp_path, *options)
    result = run(["log", "bin", tmp_path / "j_lat.1.log"], program=assay)
    assert "holds means" in result.err
    for row in rows(result.out):
        assert row["p50_ns"] == row["p99_ns"] == row["over_5ms"] == row["count"] == ""
        assert float(row["mean_ns"]) > 0
    result = run(["log", "bin", tmp_path / "j_iops.1.log"], program=assay)
    first = rows(result.out)[0]
    # fio's own windows of the first second: a quarter of one each
    windows = [line.split(", ") for line in (tmp_path / "j_iops.1.log").read_text().splitlines()]
    expected = sum(int(row[1]) / 4 for row in windows if int(row[0]) <= 1010)
    assert float(first["iops"]) == pytest.approx(expected, rel=0.1)


def test_histogram_logs_give_fios_percentiles(assay: Path, tmp_path: Path) -> None:
    options = ["--time_based", "--runtime=3", "--rate_iops=500,500", "--log_hist_msec=500"]
    job = write_logs(tmp_path, *options, "--write_hist_log=j")["jobs"][0]
    args = ["log", "bin", "--interval=1h", "--by=direction", tmp_path / "j_clat_hist.1.log"]
    result = run(args, program=assay)
    assert result.rc == 0, result.err
    for row in rows(result.out):
        # what came after the last interval is not in the log
        assert 0.6 * job[row["direction"]]["total_ios"] < int(row["count"])
        assert int(row["count"]) <= job[row["direction"]]["total_ios"]
        median = job[row["direction"]]["clat_ns"]["percentile"]["50.000000"]
        assert int(row["p50_ns"]) == pytest.approx(median, rel=0.3)


def test_fz_is_what_fio_inflates(assay: Path, tmp_path: Path) -> None:
    options = ["--log_store_compressed=1", "--log_compression=64k", "--log_offset=1"]
    write_logs(tmp_path, *options)
    log = tmp_path / "j_clat.1.log.fz"
    ours = run(["log", "convert", "--format=fio", log], program=assay)
    theirs = oracle.fio([f"--inflate-log={log}"], cwd=tmp_path)
    assert ours.out == theirs.out


@pytest.mark.parametrize("options", [[], ["--log_offset=1"], ["--log_prio=1"]])
def test_to_blocks_and_back_is_the_same_text(
    assay: Path, tmp_path: Path, options: list[str]
) -> None:
    write_logs(tmp_path, *options)
    log, blocks = tmp_path / "j_clat.1.log", tmp_path / "out.alog"
    assert run(["log", "convert", log, "-o", blocks], program=assay).rc == 0
    assert run(["log", "convert", "--format=fio", blocks], program=assay).out == log.read_text()
    again = run(["log", "convert", log, "-o", blocks], program=assay)
    assert again.rc == 4 and "is there already" in again.err
    args = ["log", "bin", "--quiet", "--by=direction,bs"]
    assert run([*args, blocks], program=assay).out == run([*args, log], program=assay).out


@pytest.mark.parametrize("bins", [1856, 1856 >> 3, 1856 >> 6, 1216, 1216 >> 2])
def test_histogram_logs_go_to_blocks_and_back(assay: Path, tmp_path: Path, bins: int) -> None:
    """Seed 9. The last bins too, and two directions at one time."""
    dice = random.Random(9)
    lines = []
    for time in range(500, 5500, 250):
        for op in (1, 0):
            counts = [dice.randrange(1000) if dice.random() < 0.1 else 0 for _ in range(bins - 1)]
            lines.append(", ".join(map(str, [time, op, 4096, *counts, 7])) + "\n")
    log, blocks = tmp_path / "j_clat_hist.1.log", tmp_path / "out.alog"
    log.write_text("".join(lines))
    assert run(["log", "convert", log, "-o", blocks], program=assay).check(0)
    for source in (log, blocks):
        result = run(["log", "convert", "--format=fio", source], program=assay).check(0)
        assert result.out == log.read_text()
    head = run(["log", "head", "--rows=3", log], program=assay).check(0)
    assert head.out == "".join(lines[:3])
    cut = run(["log", "cut", "--from=1s", "--to=2s", log], program=assay).check(0)
    assert cut.out == "".join(line for line in lines if 1000 <= int(line.split(",")[0]) < 2000)
    args = ["log", "bin", "--quiet", "--by=direction"]
    assert run([*args, blocks], program=assay).out == run([*args, log], program=assay).out
    fio2 = run(["log", "convert", "--format=fio2", log], program=assay)
    assert fio2.rc == (0 if 1216 % bins == 0 else 4)


def test_logs_are_packed_as_fio_packs_them(assay: Path, tmp_path: Path) -> None:
    """Text to .fz: what fio itself inflates from it is the text."""
    write_logs(tmp_path, "--log_offset=1")
    log, packed = tmp_path / "j_clat.1.log", tmp_path / "out_clat.1.log.fz"
    run(["log", "convert", "--format=fz", log, "-o", packed], program=assay).check(0)
    assert packed.stat().st_size < log.stat().st_size
    assert oracle.fio([f"--inflate-log={packed}"], cwd=tmp_path).out == log.read_text()
    back = run(["log", "convert", "--format=fio", packed], program=assay).check(0)
    assert back.out == log.read_text()


@pytest.mark.parametrize(
    "row", ["{}, {}, {}, 0, 0, 0", "{}, {}, {}, 0, 0", "{}, {}, 9{}, {}, 0, 0"]
)
def test_windowed_logs_go_to_blocks_and_back(assay: Path, tmp_path: Path, row: str) -> None:
    """With offsets, without, and with the maximum of the window (log_window_value=both)."""
    log, blocks = tmp_path / "j_lat.1.log", tmp_path / "out.alog"
    value = [[time, 1000 + time, time % 2] for time in range(500, 20500, 500)]
    if row.count("{}") == 4:
        value = [[time, v, v, op] for time, v, op in value]
    log.write_text("".join(row.format(*v) + "\n" for v in value))
    run(["log", "convert", log, "-o", blocks], program=assay).check(0)
    back = run(["log", "convert", "--format=fio", blocks], program=assay).check(0)
    assert back.out == log.read_text()
    assert "times below" in back.err
    log.write_text("".join(row.format(*v) + ", 0\n" for v in value))
    result = run(["log", "convert", log, "-o", tmp_path / "more.alog"], program=assay).check(0)
    assert ("offsets, which windows" in result.err) == (row.count("{}") == 4)


def test_packed_and_piped_logs_are_the_log(assay: Path, tmp_path: Path) -> None:
    write_logs(tmp_path)
    log = tmp_path / "j_clat.1.log"
    expected = run(["log", "bin", "--quiet", log], program=assay).out
    packed = tmp_path / "p_clat.1.log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    assert run(["log", "bin", "--quiet", packed], program=assay).out == expected
    subprocess.run(["zstd", "-q", log, "-o", tmp_path / "z_clat.1.log.zst"], check=True)
    zst = tmp_path / "z_clat.1.log.zst"
    assert run(["log", "bin", "--quiet", zst], program=assay).out == expected
    args = [assay, "log", "bin", "--quiet", "--kind=clat", "-"]
    piped = subprocess.run(args, input=log.read_bytes(), capture_output=True, check=True)
    assert piped.stdout.decode() == expected


def test_merged_jobs_are_in_order_and_complete(assay: Path, tmp_path: Path) -> None:
    write_logs(tmp_path, "--numjobs=4")
    logs = sorted(tmp_path.glob("j_clat.*.log"))
    result = run(["log", "merge", *logs], program=assay)
    merged = result.out.splitlines()
    times = [int(line.split(",")[0]) for line in merged]
    assert times == sorted(times)
    assert sorted(merged) == sorted("".join(log.read_text() for log in logs).splitlines())
    cut = run(["log", "cut", "--from=2ms", "--to=5ms", *logs], program=assay)
    assert cut.out.splitlines() == [m for m, t in zip(merged, times, strict=True) if 2 <= t < 5]


def test_a_spreadsheet_of_another_locale(assay: Path, tmp_path: Path) -> None:
    write_logs(tmp_path)
    args = ["log", "bin", "--interval=500ms", tmp_path / "j_clat.1.log"]
    plain = rows(run(args, program=assay).out)
    comma = rows(run([*args, "--decimal=,"], program=assay).out, delimiter=";")
    assert [{k: v.replace(",", ".") for k, v in row.items()} for row in comma] == plain
    lines = run([*args, "--format=json"], program=assay).out.splitlines()
    found = json.loads(lines[0])
    assert list(found) == list(plain[0])
    assert found["count"] == int(plain[0]["count"]) and found["p99.99_ns"] is None


def test_json_of_any_shape_is_read(assay: Path, tmp_path: Path) -> None:
    """Text before it, keys twice, several documents: the last one counts."""
    write_logs(tmp_path)
    good = (tmp_path / "j.json").read_text()
    twice = good.replace('"error" : 0', '"error" : 0, "error" : 0')
    other = good.replace('"total_ios" : ', '"total_ios" : 9')
    (tmp_path / "j.json").write_text(f"note: {{ odd\n{other}\nmore text\n{twice}\n")
    result = run(["log", "info", tmp_path / "j_clat.1.log"], program=assay)
    assert "rows and bytes agree" in result.err


def test_bandwidth_is_bytes_and_not_the_mean_of_its_rows(assay: Path, tmp_path: Path) -> None:
    """A row of a bw log per request is that request's own speed: 10 requests of 4 KiB a second
    are 41 kB/s, whatever the 40,000 in each row says."""
    log = tmp_path / "j_bw.1.log"
    log.write_text("".join(f"{n * 100 + n % 3}, 40000, 0, 4096, 0\n" for n in range(100)))
    result = run(["log", "bin", "--quiet", "--windowed=no", log], program=assay).check(0)
    for row in rows(result.out):
        assert (row["count"], row["bytes"]) == ("10", "40960")
        assert float(row["MB_per_s"]) == pytest.approx(0.04096, abs=0.0005)
        assert row["mean_ns"] == row["p50_ns"] == row["max_ns"] == ""


def test_a_rate_is_a_count_and_not_the_rows_of_one(assay: Path, tmp_path: Path) -> None:
    log = tmp_path / "j_iops.1.log"
    log.write_text("".join(f"{n // 5}, 1, 0, 4096, 0\n" for n in range(5 * 3000)))
    result = run(["log", "bin", "--quiet", log], program=assay).check(0)
    assert [float(row["iops"]) for row in rows(result.out)] == [5000, 5000, 5000]


def test_rows_twice_at_the_end_of_a_histogram_log_both_count(assay: Path, tmp_path: Path) -> None:
    """fio writes the last interval twice at times; each row is of other requests."""
    line = ", ".join(["{}, 0, 4096", *["0"] * 500, "7", *["0"] * 1355]) + "\n"
    log = tmp_path / "j_clat_hist.1.log"
    log.write_text("".join(line.format(t) for t in (500, 1000, 1500, 1500)))
    result = run(["log", "bin", "--quiet", "--interval=1m", log], program=assay).check(0)
    assert rows(result.out)[0]["count"] == "28"


def test_the_unit_of_fio_2_is_that_of_its_json(assay: Path, tmp_path: Path) -> None:
    """Four columns are us or ns: the JSON says clat, and not clat_ns; without it nobody knows."""
    log = tmp_path / "j_clat.1.log"
    log.write_text("".join(f"{n // 3}, {90 + n % 20}, 0, 4096\n" for n in range(300)))
    args = ["log", "bin", "--quiet", log]
    assert "--unit=ns|us" in run(args, program=assay).check(4).err
    job = {"jobname": "j", "read": {"total_ios": 300, "io_bytes": 300 * 4096, "clat": {}}}
    beside = tmp_path / "j.json"
    for key, ns in (("clat", 90000), ("clat_ns", 90)):
        job["read"] = {"total_ios": 300, "io_bytes": 300 * 4096, key: {}}
        beside.write_text(json.dumps({"jobs": [job]}))
        assert rows(run(args, program=assay).check(0).out)[0]["min_ns"] == str(ns)


def test_wrong_words_are_refused(assay: Path, tmp_path: Path) -> None:
    log = tmp_path / "j_clat.1.log"
    log.write_text("1, 2, 0, 4096, 0\n1, x, 0, 4096, 0\n")
    result = run(["log", "bin", log], program=assay)
    assert result.rc == 4 and "j_clat.1.log:2: " in result.err
    assert run(["log", "bin", "--lenient", log], program=assay).rc == 0
    for args in (["bin"], ["bin", "--rows=1", log], ["nothing"], [], ["bin", "--by=host", log],
                 ["bin", "--interval=0", log], ["bin", "--decimal=,", "--separator=,", log],
                 ["bin", tmp_path / "none.log"]):  # fmt: skip
        assert run(["log", *args], program=assay).rc == 4


SHORT_LAST = "".join(f"{time}, 20000, 0, 0\n" for time in (500, 1001, 1500, 2000))


@pytest.mark.parametrize("rows_before", [SHORT_LAST, "500, 20000, 0, 0\n"])
def test_a_short_last_window_is_not_the_length_of_all(
    assay: Path, tmp_path: Path, rows_before: str
) -> None:
    """Every log of windows ends in one."""
    log = tmp_path / "w_iops.1.log"
    end_ms = int(rows_before.splitlines()[-1].split(",")[0])
    log.write_text(rows_before + f"{end_ms + 1}, 8000, 0, 0\n")
    result = run(["log", "bin", "--quiet", "--interval=500ms", log], program=assay).check()
    *whole, last = [(float(row["end_s"]), float(row["iops"])) for row in rows(result.out)]
    assert all(iops == pytest.approx(20000, rel=0.01) for _, iops in whole)
    assert last == (pytest.approx((end_ms + 1) / 1000), pytest.approx(8000, rel=0.01))
    judged = json.loads(run(["log", "judge", "--format=json", log], program=assay).out)
    assert judged["requests"] == pytest.approx(20000 * end_ms / 1000 + 8, abs=2)


@pytest.mark.parametrize("interval", ["500ms", "1s"])
def test_a_histogram_row_is_of_the_time_before_it(
    assay: Path, tmp_path: Path, interval: str
) -> None:
    words = ["--name=s", "--filename=sim:sata-enterprise,scale=100", "--rw=randrw", "--bs=4k",
             "--iodepth=4", "--runtime=3.2s", "--time_based", "--write_hist_log=s",
             "--log_hist_msec=500ms", "--write_iops_log=s"]  # fmt: skip
    run(["run", "--no-store", *words], program=assay, cwd=tmp_path).check()
    blocks, text = tmp_path / "s_clat_hist.1.alog", tmp_path / "s_clat_hist.1.log"
    run(["log", "convert", "--format=fio", blocks, "-o", text], program=assay).check()
    told = []
    for log in (tmp_path / "s_iops.1.alog", blocks, text):
        words = ["log", "bin", "--quiet", "--by=direction", f"--interval={interval}", log]
        table = rows(run(words, program=assay).check().out)
        told.append([(row["begin_s"], row["direction"], row["count"]) for row in table])
    assert told[0] == told[1] == told[2]
    assert len(told[0]) == 2 * (7 if interval == "500ms" else 4)
