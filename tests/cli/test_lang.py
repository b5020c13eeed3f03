"""The three languages: nothing is left in English, tables line up, 80 columns hold.

`assay-pseudo` is the program with a catalogue in which every message stands in accented letters:
what it says in plain ones is either somebody's (a path, an option, a name) or in no catalogue.
"""

import re
import unicodedata
from typing import Any

import pytest

from rigs import places
from rigs.assay import Result, run

PSEUDO = places.BUILD / "assay-pseudo"
NVME, SATA = "sim:nvme-enterprise,scale=1000", "sim:sata-consumer,scale=1000"
JOB = ["--name=j", "--bs=4k", "--rw=randrw", "--iodepth=8", "--runtime=3s", "--time_based=1"]

# Somebody's words: programs, options and their values, units, ids of facts, rules and metrics.
NAMES = set(
    """assay fio nvme enterprise sata consumer sim randrw randread randwrite read write trim rw bs
    iodepth rwmixread run plan log report compare gate history results targets quick show list
    check resume help base new default ocp act etcd max iops mean IOPS KiB MiB GiB TiB kB MB GB TB
    MHz min ios errors depth bsplit job json text html csv markdown lang db destroy psync libaio
    KVM ext4 xfs Linux Debian GNU bookworm Intel Xeon Processor overlayblk vda dev tmp var tests
    zero_intervals share_over share_max_within count_over worst_share_over latency maxima zeros
    stalls monitor fdatasync bytes END OF JOB PLAN cat again ssd hdd cloud greedy fifo choices ppm
    nonsens iodept randrad command line watch waf SNIA PTS pass unknown fail
    clat fill precondition steady curve verdict file purge find window sweep rounds simulated range
    """.split()
)


def zh(args: list[Any], store: str | None = None, **keywords: Any) -> Result:
    return run(args + ([store] if store else []), program=PSEUDO,
               env={"LC_ALL": "", "LANGUAGE": "", "LANG": "zh_CN.UTF-8"}, **keywords)  # fmt: skip


def plain(text: str, names: set[str]) -> list[str]:
    """Lines with two plain words beside each other that nobody is called by."""
    left = []
    for line in text.splitlines():
        if line.startswith("# ---"):
            continue  # the text of a job, as it is kept and can be run again
        words = [word for word in re.findall(r"(?<![\w/.=:@<$-])[A-Za-z]{3,}(?![\w/=(])", line)
                 if word not in names]  # fmt: skip
        if words:
            left.append(f"{words}: {line.strip()}")
    return left


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """r1 and r2 of one drive, r3 of another, p1 a plan."""
    store = f"--store={tmp_path_factory.mktemp('lang') / 'store.db'}"
    for target, tag in ((NVME, "base"), (NVME, "base"), (SATA, "new")):
        run(["run", *JOB, f"--filename={target}", store, f"--tag={tag}"]).check()
    run(["plan", "run", "quick-check", NVME, "--scale=100", "--no-report", store])
    return store


PAGES = {
    "help": (["help"], False),
    "no command": (["nonsens"], False),
    "near option": (["run", "--iodept=3"], False),
    "no option": (["help", "iodept"], False),
    "wrong value": (["run", "--rw=randrad"], False),
    "run": (["run", *JOB, f"--filename={NVME}", "--no-store", "--policy=default"], False),
    "quick": (["quick", NVME, "--time=100ms", "--cells=RND4K-Q1T1", "--no-report"], False),
    "compare": (["compare", "r1", "r3"], True),
    "compare sides": (["compare", "base", "new"], True),
    "gate": (["gate", "base", "new"], True),
    "history": (["history", NVME], True),
    "report": (["report", "r1", "--format=text"], True),
    "report of two": (["report", "r1", "r3", "--format=text"], True),
    "results": (["results", "list"], True),
    "estimate": (["plan", "estimate", "pts-iops", NVME], True),
    "no plan": (["plan", "check", "nonsens"], False),
    "waf": (["sim", "waf", "--blocks=128", "--turns=8", "--hot=80/20"], False),
}


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_in_no_catalogue(page: str, kept: str) -> None:
    if not PSEUDO.exists():
        pytest.fail(f"{PSEUDO} is not built", pytrace=False)
    args, stored = PAGES[page]
    said = zh(args, kept if stored else None)
    assert plain(said.out + said.err, NAMES) == []


def columns(text: str) -> int:
    """Of a terminal: a Chinese or Japanese sign takes two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def tables(text: str) -> list[list[str]]:
    """Blocks of lines with several columns each."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text)]
    return [rows for rows in blocks
            if len(rows) > 1 and all(len(re.split(r"\s{2,}", row.strip())) > 2 for row in rows)]  # fmt: skip


SHOWN = ["run", "quick", "compare", "gate", "history", "report", "results", "estimate"]


@pytest.mark.parametrize("lang", ["en_US", "zh_CN", "ja_JP"])
@pytest.mark.parametrize("page", SHOWN)
def test_columns_line_up_within_eighty(page: str, lang: str, kept: str) -> None:
    args, stored = PAGES[page]
    env = {"LC_ALL": "", "LANGUAGE": "", "LANG": f"{lang}.UTF-8"}
    text = run([*args, *([kept] if stored else [])], env=env).out
    for rows in tables(text):
        cells = [len(re.split(r"\s{2,}", row.strip())) for row in rows]
        widths = {columns(row) for row, count in zip(rows, cells, strict=True) if count == cells[0]}
        assert len(widths) == 1, "\n".join(f"{columns(row):3} {row}" for row in rows)
    for line in text.splitlines():
        words = re.split(r"\s{2,}| ", line.strip())
        assert columns(line) <= 80 or max(map(columns, words)) > 40, line


def test_the_c_locale_is_english_in_ascii(kept: str) -> None:
    for page in SHOWN:
        args, stored = PAGES[page]
        said = run([*args, *([kept] if stored else [])], env={"LC_ALL": "C", "LANG": "ja_JP.UTF-8"})
        assert said.out.isascii() and said.err.isascii(), page


def test_names_are_no_words(kept: str) -> None:
    """A plan "trim", a step "read" and a tag "new" are called so in every language: they are typed as they stand."""
    plans = zh(["plan", "list"]).out
    steps = zh(["plan", "show", "quick-check"]).out
    for name, text in (("trim", plans), ("consistency", plans), ("read", steps), ("verdict", steps)):
        assert re.search(rf"^{name} ", text, re.MULTILINE), text
    assert re.search(r"^.3 .* new$", zh(["results", "list"], kept).out, re.MULTILINE)
    needs = zh(["plan", "show", "pcie-ssd"]).out
    assert re.search(r"^precondition .* read$", needs, re.MULTILINE), needs
    kinds = zh(["plan", "estimate", "trim", NVME]).out
    assert re.search(r"^discard +run ", kinds, re.MULTILINE), kinds
