"""A log in blocks that is not as it was written: every command says so, and ends with 4."""

import csv
import gzip
import io
import random
from pathlib import Path

import pytest

from rigs.assay import run

HEAD, BLOCK = 512, 65536
SECOND = HEAD + BLOCK

FORMS = {
    "flipped": f"{BLOCK} bytes from byte {SECOND} on are damaged: ",
    "torn": f"3000 bytes from byte {SECOND} on are damaged: at least ",
    "short": f"the log breaks off at byte {SECOND}: ",
    "longer": " bytes from byte ",
}


def blocks(assay: Path, folder: Path, form: str) -> Path:
    """Six seconds of 10,000 requests each, as blocks, then damaged."""
    draw = random.Random(5)
    text, log = folder / "j_clat.1.log", folder / "j_clat.1.alog"
    rows = (f"{i // 10}, {draw.randint(20000, 60000)}, 0, 4096, 0\n" for i in range(60000))
    text.write_text("".join(rows))
    run(["log", "convert", text, "-o", log], program=assay).check(0)
    data = bytearray(log.read_bytes())
    if form == "flipped":
        data[SECOND + 9000] ^= 4
    elif form == "torn":
        del data[SECOND + 3000 :]
    elif form == "short":
        del data[SECOND:]
    elif form == "longer":
        data += b"x" * 100000
    log.write_bytes(data)
    return log


@pytest.mark.parametrize("form", FORMS)
def test_every_command_says_what_is_lost(assay: Path, tmp_path: Path, form: str) -> None:
    log = blocks(assay, tmp_path, form)
    for words in (
        ["log", "info", log],
        ["log", "bin", "--quiet", log],
        ["log", "judge", log],
        ["log", "convert", "--format=fio", log],
        ["log", "cut", "--to=9s", "--format=fio", log],
        ["log", "plot", "--format=text", log],
        ["log", "compare", log, log],
        ["report", log, "-o", tmp_path / "page.html"],
    ):
        result = run(words, program=assay)
        assert result.rc == 4, words
        assert f"warning: {log}: " in result.err, words
        assert FORMS[form] in result.err, words
    assert FORMS[form].split(":")[0] in (tmp_path / "page.html").read_text()
    told = run(["log", "info", "--format=json", log], program=assay).json()[0]
    if form == "longer":
        assert told["stray_bytes"] == 100000 and told["rows"] == 60000
    else:
        (damage,) = told["damage"]
        assert damage["at_byte"] == SECOND
        assert damage["all_rows_known"] == (form == "flipped")
        if form == "flipped":
            assert damage["rows_lost"] + told["rows"] == 60000


def test_what_is_lost_is_neither_zero_nor_kept(assay: Path, tmp_path: Path) -> None:
    log = blocks(assay, tmp_path, "flipped")
    for threads in ("1", "2"):
        table = run(["log", "bin", f"--threads={threads}", log], program=assay).out
        rows = list(csv.DictReader(io.StringIO(table)))
        counts = [row["count"] for row in rows]
        first = counts.index("")
        last = len(counts) - counts[::-1].index("")
        assert last - first >= 2, counts
        assert all(c == "10000" for c in counts[:first] + counts[last:]), counts
        assert not any(rows[first][key] for key in rows[first] if not key.endswith("_s"))
    judged = run(["log", "judge", "--format=json", log], program=assay)
    assert judged.rc == 4
    verdict = judged.json()
    assert verdict["outcome"] == "cannot tell"
    assert all(rule["outcome"] != "pass" for rule in verdict["rules"])
    assert any("are damaged" in note for note in verdict["notes"])


def test_a_packed_log_that_breaks_off_is_damaged_too(assay: Path, tmp_path: Path) -> None:
    log = tmp_path / "j_lat.1.log.gz"
    text = "".join(f"{i}, {1000 + i % 977}, 0, 4096, 0\n" for i in range(40000))
    log.write_bytes(gzip.compress(text.encode())[:-2000])
    for verb in ("info", "bin", "judge"):
        result = run(["log", verb, log], program=assay)
        assert result.rc == 4 and "the packed data breaks off" in result.err
        assert result.out
