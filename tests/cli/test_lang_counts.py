"""One is no plural: where a count stands before a noun, the form follows it (ngettext's pairs)."""

import re
from pathlib import Path
from typing import Any

import pytest

from rigs.assay import run

NVME = "sim:nvme-enterprise,scale=1000"
ONE = ["--name=j", "--bs=4k", "--number_ios=1", f"--filename={NVME}"]
# "1 is", "1 us": no plurals of nouns.
NO_NOUNS = {"is", "as", "was", "has", "does", "this", "means", "makes", "us", "ms", "ns", "less", "plus", "its"}
ONE_OF_ALL = """
[plan]
title=One of all
[global]
rw=randwrite
bs=4k
time_based
runtime=50ms
[fill]
step=fill
[rounds]
step=rounds
until=steady(iops, window=2, range=1%, slope=1%)
max_rounds=2
round=5ms
[load]
step=sweep
sweep=iodepth=1
check=errors == 0
"""


def plurals(text: str) -> list[str]:
    """ "1 runs", "of 1 requests": whole lines of them."""
    flat = re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style|svg).*?</\1>", "", text, flags=re.DOTALL))
    return [line.strip() for line in flat.splitlines()
            if any(word not in NO_NOUNS for word in re.findall(r"(?<![\d.,])\b1 ([a-z]+s)\b", line))]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one")
    (folder / "one_clat.1.log").write_text("1, 900, 0, 4096\n")
    (folder / "bad_clat.1.log").write_text("1, 900, 0, 4096\nx\n2, 900, 0, 4096\n3, 900, 0, 4096\n")
    (folder / "one.plan").write_text(ONE_OF_ALL)
    store = f"--store={folder / 'store.db'}"
    run(["run", *ONE, "--rw=read", store])
    run(["plan", "run", str(folder / "one.plan"), NVME, "--scale=1000", "--no-report", store])
    return folder


COMMANDS: dict[str, list[Any]] = {
    "run of one": ["run", *ONE, "--rw=write", "--no-store", "--policy=default"],
    "report": ["report", "r1", "--format=text", "{store}"],
    "markdown": ["report", "r1", "--format=markdown", "{store}"],
    "page": ["report", "r1", "--format=html", "{store}"],
    "plan": ["report", "p1", "--format=text", "{store}"],
    "page of a plan": ["report", "p1", "--format=html", "{store}"],
    "show": ["plan", "show", "{place}/one.plan"],
    "estimate": ["plan", "estimate", "{place}/one.plan", NVME, "--repeat=2"],
    "compare": ["compare", "r1", "r1", "{store}"],
    "gate": ["gate", "r1", "r1", "{store}"],
    "history": ["history", NVME, "{store}"],
    "judge": ["log", "judge", "{place}/one_clat.1.log", "--unit=ns"],
    "log": ["report", "{place}/one_clat.1.log", "--unit=ns", "--format=text"],
    "log compare": ["log", "compare", "{place}/one_clat.1.log", "{place}/one_clat.1.log", "--unit=ns"],
    "bad row": ["log", "info", "{place}/bad_clat.1.log", "--unit=ns", "--lenient"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_one_is_no_plural(name: str, place: Path) -> None:
    words = [word.format(place=place, store=f"--store={place / 'store.db'}") for word in COMMANDS[name]]
    said = run(words)
    assert said.out + said.err
    assert plurals(said.out) + plurals(said.err) == []
