"""Every kind of page in three languages, on a phone's width, a tablet's and on paper: all fits its box."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from rigs import browser
from rigs.assay import run
from test_lang import NAMES, PSEUDO, plain

NVME = "sim:nvme-enterprise,scale=1000"
LANGS = {"en": "en_US", "zh": "zh_CN", "ja": "ja_JP"}
PAGES = ("plan", "compare", "history", "run", "quick", "log")


def make_pages(folder: Path) -> None:
    store = f"--store={folder / 'store.db'}"
    for target in (NVME, NVME, "sim:sata-consumer,scale=1000"):
        run(["run", "--name=j", "--bs=4k", "--rw=randrw", "--iodepth=8", "--runtime=5s",
             "--time_based=1", f"--filename={target}", store]).check()  # fmt: skip
    run(["quick", NVME, "--time=100ms", "--cells=RND4K-Q1T1", "--no-report", "--tag=quick", store])
    log = folder / "x_clat.1.log"
    log.write_text("".join(f"{i}, {900_000 + i % 7 * 90_000}, {i % 2}, 4096\n" for i in range(1, 6000)))
    run(["plan", "run", "quick-check", NVME, "--scale=100", "--no-report", store])
    for lang, locale in LANGS.items():
        env = {"LC_ALL": "", "LANGUAGE": "", "LANG": f"{locale}.UTF-8"}
        commands = {"plan": ["report", "p1"], "compare": ["compare", "r1", "r3"], "history": ["history", NVME],
                    "run": ["report", "r1"], "quick": ["report", "quick"],
                    "log": ["report", log, "--unit=ns"]}  # fmt: skip
        for page, words in commands.items():
            kept = [] if page == "log" else [store]
            run([*words, *kept, "--format=html", "-o", folder / f"{page}-{lang}.html"], env=env).check()
            if lang == "zh":
                run([*words, *kept, "--format=html", "-o", folder / f"{page}-accented.html"], env=env,
                    program=PSEUDO).check()  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return browser.once(tmp_path_factory, "pages-of-lang", make_pages)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, pages: Path) -> dict[tuple[str, str], Any]:
    reason = browser.why_not()
    if reason:
        pytest.skip(reason)
    names = [(page, lang) for page in PAGES for lang in LANGS]
    looks = [{"path": str(pages / f"{page}-{lang}.html"), "width": 360, "height": 740,
              "widths": [800], "paper": True} for page, lang in names]  # fmt: skip
    folder = browser.once(tmp_path_factory, "seen-of-lang",
                          lambda folder: (folder / "seen").write_text(json.dumps(browser.look(looks))))  # fmt: skip
    return dict(zip(names, json.loads((folder / "seen").read_text()), strict=True))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("page", PAGES)
def test_all_fits_its_box(seen: dict[tuple[str, str], Any], page: str, lang: str) -> None:
    look = seen[page, lang]
    assert look["lang"] == lang
    assert look["errors"] == [] and look["requests"] == []
    assert look["overflow"] == []
    assert look["fits"] == {"800": [], "paper": []}


@pytest.mark.parametrize("page", PAGES)
def test_heads_and_titles_are_translated(pages: Path, page: str) -> None:
    """The same page without the words that are everyone's has no English head of a table left."""
    english = (pages / f"{page}-en.html").read_text()
    for lang in ("zh", "ja"):
        text = (pages / f"{page}-{lang}.html").read_text()
        heads = [head for head in _heads(english)
                 if len(re.findall(r"[A-Za-z]{3,}", head)) > 1 and head in _heads(text)]  # fmt: skip
        assert heads == []


def test_a_page_says_nothing_in_plain_letters(pages: Path) -> None:
    """With a catalogue of accented letters: heads, legends, axes and titles are in it."""
    for page in PAGES:
        text = (pages / f"{page}-accented.html").read_text()
        text = re.sub(r"<(script|style|pre)\b.*?</\1>", "", text, flags=re.DOTALL)
        said = [html.unescape(part).strip() for part in re.findall(r">([^<]+)<", text)]
        left = [part for part in said if plain(part, NAMES)]
        assert left == [], page


def _heads(page: str) -> list[str]:
    return [part.split(">", 1)[1].split("</th>")[0] for part in page.split("<th")[1:] if ">" in part]
