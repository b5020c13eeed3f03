"""Other forms of the logs that runs write: packed as fio packs them, of all jobs together, of the
worst intervals; and what a killed run leaves of each.
"""

import signal
import time
from pathlib import Path

import pytest
from test_log_write import JOB, LOGS, bins, both, info, logs_of, native, note_ids, table

from rigs import oracle
from rigs.assay import Running, run


PACKED = ["--log_store_compressed=1", "--log_compression=64k"]


@pytest.mark.parametrize("words", [[], ["--log_offset=1"], ["--log_prio=1"],
                                   ["--log_avg_msec=100"],
                                   ["--numjobs=2", "--per_job_logs=0"]])  # fmt: skip
def test_packed_logs_are_read_by_fio_and_fios_by_ours(
    tmp_path: Path, fio_face: Path, words: list[str]
) -> None:
    ours, theirs, answer, _ = both(tmp_path, *LOGS, *PACKED, *words)
    names = sorted(path.name for path in theirs.glob("*.fz"))
    assert sorted(path.name for path in ours.glob("*.fz")) == names != []
    assert not list(ours.glob("*.log"))
    for name in names:
        texts = {}
        for folder in (ours, theirs):
            if not (folder / name).stat().st_size:  # of slat; fio fails on it, ours prints nothing
                continue
            argument = [f"--inflate-log={folder / name}"]
            told = oracle.fio(argument, cwd=tmp_path).check().out
            assert oracle.fio(argument, program=fio_face, cwd=tmp_path).check().out == told
            texts[folder] = [line.split(", ") for line in told.splitlines()]
        if "log_avg" not in str(words) and texts:
            expected = 1024 if "--numjobs=2" in words else 512
            assert len(texts[ours]) == len(texts[theirs]) == expected
        for column in range(2, len(texts[ours][0]) if texts else 0):
            a, b = ({row[column] for row in texts[folder]} for folder in (ours, theirs))
            assert a == b, (name, column)
    job = answer[0]
    if not words:
        found = info(ours / "j_lat.1.log.fz")
        for direction in ("read", "write"):
            assert found[direction]["total_ios"] == job[direction]["total_ios"]


def test_what_inflate_log_cannot_read_is_said(tmp_path: Path, fio_face: Path) -> None:
    (tmp_path / "plain").write_text("1, 2, 0, 4096, 0\n")
    result = oracle.fio(["--inflate-log=plain"], program=fio_face, cwd=tmp_path)
    assert result.rc == 1 and "is no packed log" in result.err
    assert oracle.fio(["--inflate-log=none"], program=fio_face, cwd=tmp_path).rc == 1
    oracle.fio([*JOB, *LOGS, *PACKED], program=fio_face, cwd=tmp_path).check()
    whole = (tmp_path / "j_lat.1.log.fz").read_bytes()
    (tmp_path / "torn.log.fz").write_bytes(whole[:-5])
    result = oracle.fio(["--inflate-log=torn.log.fz"], program=fio_face, cwd=tmp_path)
    assert result.rc == 1 and "its end is missing" in result.err and result.out
    (tmp_path / "empty.log.fz").write_bytes(b"")
    assert oracle.fio(["--inflate-log=empty.log.fz"], program=fio_face, cwd=tmp_path).rc == 0


def test_packed_logs_and_what_they_have_no_column_for(tmp_path: Path, fio_face: Path) -> None:
    for words in (["--log_issue_time=1"], ["--log_avg_msec=100", "--log_window_value=both"]):
        result = oracle.fio([*JOB, *LOGS, *PACKED, *words], program=fio_face, cwd=tmp_path)
        assert result.rc == 1 and "log_store_compressed" in result.err
    args = ["run", "--no-store", *JOB, *LOGS]
    result = run([*args, "--log_store_compressed=1"], cwd=tmp_path).check(4)
    assert "write log_format=fio" in result.err
    result = run([*args, "--log_compression=1m"], cwd=tmp_path).check(4)
    assert "log_store_compressed=1" in result.err


def test_the_bandwidth_of_all_jobs_is_a_log(tmp_path: Path) -> None:
    words = ["--rate_iops=400,200", "--time_based", "--runtime=2", "--numjobs=2", "--eta=always"]
    ours, theirs, answer, _ = both(tmp_path, "--bandwidth-log", *words)
    names = [f"agg-{d}_bw.log" for d in ("read", "trim", "write")]
    assert logs_of(ours) == logs_of(theirs) == names
    for direction, name in enumerate(("read", "write", "trim")):
        a, b = table(ours / f"agg-{name}_bw.log"), table(theirs / f"agg-{name}_bw.log")
        rest = {(str(direction), "0", "0")}
        assert {(*row[2:],) for row in a} == {(*row[2:],) for row in b} == rest
        ends = [0, *(int(row[0]) for row in a)]
        spans = [end - begin for begin, end in zip(ends, ends[1:], strict=False)]
        kib = sum(int(row[1]) * span / 1000 for row, span in zip(a, spans, strict=True))
        total = sum(job[name]["io_kbytes"] for job in answer)
        assert kib == pytest.approx(total, abs=len(a) + 0.01 * total)


def test_the_log_of_all_jobs_takes_a_prefix_and_says_what_it_cannot_do(tmp_path: Path) -> None:
    native(tmp_path, "--bandwidth-log=all")
    assert logs_of(tmp_path) == [f"all-{d}_bw.log" for d in ("read", "trim", "write")]
    args = ["run", "--no-store", *JOB, "--bandwidth-log=nowhere/x"]
    assert "nowhere/x-read_bw.log" in run(args, cwd=tmp_path).check(6).err


@pytest.mark.parametrize("words", [["--ioengine=null", "--iodepth=4"], ["--numjobs=2"],
                                   ["--log_offset=1"]])  # fmt: skip
def test_the_worst_intervals_are_kept_whole(tmp_path: Path, words: list[str]) -> None:
    words = ["--time_based", "--runtime=1s", "--interval=100ms", "--rate_iops=4000", *words]
    answer = native(tmp_path, "--keep-worst=3", *words)
    assert "worst-cut" not in note_ids(answer)
    (text,) = (note["text"] for note in answer["notes"] if note["id"] == "worst-kept")
    path = tmp_path / "j_worst.alog"
    assert text.startswith('"j_worst.alog" holds')
    kept = {float(row["begin_s"]): row for row in bins(path, "--interval=100ms", "--by=direction")
            if int(row["count"])}  # fmt: skip
    series = {row["begin_ns"] / 1e9: row for row in answer["series"]}
    # of rated jobs the row tells the response, the log the service: the counts are one
    for row in bins(path, "--interval=100ms", "--by=direction"):
        if int(row["count"]):
            assert int(row["count"]) == series[float(row["begin_s"])][row["direction"]]["ios"]
    assert len(kept) == 3
    begins = [float(word) for word in text.rsplit(" at ", 1)[1].replace(" s", "").split(", ")]
    assert begins == sorted(kept)


def test_the_worst_intervals_are_those_of_the_greatest_latency(tmp_path: Path) -> None:
    words = ["--time_based", "--runtime=1s", "--interval=100ms"]
    answer = native(tmp_path, "--keep-worst=2", "--rw=read", *words)
    assert "log-lost" not in note_ids(answer)
    maxima = {row["begin_ns"] / 1e9: row["read"].get("max_ns", 0) for row in answer["series"]}
    kept = {float(row["begin_s"]) for row in bins(tmp_path / "j_worst.alog", "--interval=100ms")
            if int(row["count"])}  # fmt: skip
    assert kept == set(sorted(maxima, key=lambda begin: -maxima[begin])[:2])
    (tmp_path / "j_worst.alog").unlink()
    (tmp_path / "j_worst.alog").mkdir()
    result = run(["run", "--no-store", *JOB, "--keep-worst=2"], cwd=tmp_path)
    assert result.rc == 6 and "j_worst.alog" in result.err


def test_a_killed_run_leaves_its_log_but_for_a_block(tmp_path: Path) -> None:
    words = ["--ioengine=null", "--rw=read", "--time_based", "--runtime=30s", "--rate_iops=60000"]
    args = ["run", "--no-store", *JOB, *LOGS, *words]
    with Running(args, cwd=tmp_path) as running:
        time.sleep(1.5)
        running.signal(signal.SIGKILL)
        running.finish(20)
    for kind in ("lat", "iops"):
        path = tmp_path / f"j_{kind}.1.alog"
        whole = path.stat().st_size
        assert (whole - 512) % 65536 == 0 and whole > 512
        told = info(path, 4)  # what the run had not yet written is said to be lost
        assert told["damage"][0]["at_byte"] == whole and not told["blocks_lost"]
        count = told["read"]["total_ios"]
        assert count >= 30000 - 2 * 65536 / 3  # half a second at least, less a block
        with path.open("r+b") as log:
            log.truncate(whole - 1000)
        assert count - 65536 / 3 < info(path, 4)["read"]["total_ios"] < count


def test_text_of_a_killed_run_is_there_up_to_the_last_second(tmp_path: Path) -> None:
    words = ["--ioengine=null", "--rw=read", "--time_based", "--runtime=30s", "--rate_iops=2000",
             "--log_format=fio"]  # fmt: skip
    with Running(["run", "--no-store", *JOB, *LOGS, *words], cwd=tmp_path) as running:
        time.sleep(1.8)
        running.signal(signal.SIGKILL)
        running.finish(20)
    assert len(table(tmp_path / "j_lat.1.log")) > 500


def test_idle_windows_have_no_row_as_in_fio(tmp_path: Path) -> None:
    """Think time leaves windows empty; the rest of each second's rows is there."""
    words = ["--rw=read", "--bs=4k", "--size=32k", "--thinktime=450ms", "--log_avg_msec=100"]
    ours, theirs, _, _ = both(tmp_path, *LOGS, *words)
    for kind in ("lat", "clat", "iops", "bw"):
        a, b = (table(folder / f"j_{kind}.1.log") for folder in (ours, theirs))
        assert all(int(row[0]) % 100 == 0 for row in a[:-1])
        assert len(a) < 2 * 8 and a
        assert len({row[0] for row in a}) == len(a)
        assert {tuple(row[2:]) for row in a} == {tuple(row[2:]) for row in b}


@pytest.mark.parametrize("clock", [0, 1])
def test_the_clock_of_the_epoch_is_that_of_fio(tmp_path: Path, clock: int) -> None:
    words = ["--log_alternate_epoch=1", f"--log_alternate_epoch_clock_id={clock}"]
    ours, theirs, _, _ = both(tmp_path, *LOGS, *words)
    now_ms = time.clock_gettime(clock) * 1000
    for folder in (ours, theirs):
        rows = table(folder / "j_lat.1.log")
        assert len(rows) == 512
        for row in (rows[0], rows[-1]):
            assert now_ms - 30_000 < int(row[0]) <= now_ms + 1


def test_the_fio_face_writes_no_file_that_no_option_names(tmp_path: Path, fio_face: Path) -> None:
    words = ["--log_avg_msec=100", "--log_hist_msec=100", "--log_offset=1", "--per_job_logs=0",
             "--log_store_compressed=1", "--log_compression=64k"]  # fmt: skip
    oracle.fio([*JOB, *words], program=fio_face, cwd=tmp_path).check()
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("words", [["--log_format=fio"], ["--log_format=fio", "--log_avg_msec=1ms"],
                                   ["--log_format=fio", "--log_store_compressed=1"],
                                   ["--keep-worst=5"]])  # fmt: skip
def test_a_full_disk_is_counted_in_every_form(tmp_path: Path, words: list[str]) -> None:
    """Through a limit on the size of files, which SIGXFSZ ignored makes an error."""
    script = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"'
    under = [lambda argv: ["bash", "-c", script, *argv]]
    args = ["run", "--no-store", "--format=json", *JOB, "--ioengine=null", "--rw=read",
            "--size=256m", "--rate_iops=100000", "--write_lat_log", *words]  # fmt: skip
    answer = run(args, cwd=tmp_path, under=under).check(6).json()
    assert "log-broken" in note_ids(answer)
    assert answer["groups"][0]["read"]["ios"] == 65536
