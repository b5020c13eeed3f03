"""assay sim: list, show, waf, and what they refuse."""

import json
import os
import subprocess
from pathlib import Path

ASSAY = Path(os.environ.get("ASSAY_BUILD", Path(__file__).resolve().parents[2] / "build")) / "assay"
WAF_KEYS = "waf_measured waf_theory difference_percent op pages_per_block gc seed"
PROFILES = {
    "cloud-efficient-100g", "cloud-ssd-100g", "hdd-7200-raid0", "nvme-enterprise",
    "pcie-mlc-1.2t", "sata-consumer", "sata-enterprise", "sata-tlc-128g",
}  # fmt: skip


def sim(*words: str) -> subprocess.CompletedProcess:
    argv = [str(ASSAY), "sim", *words]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)


def test_waf_json_has_the_promised_keys_and_agrees_with_theory() -> None:
    run = sim("waf", "--blocks=1024", "--turns=12", "--seed=3", "--format=json")
    assert run.returncode == 0, run.stderr
    figures = json.loads(run.stdout)
    assert set(WAF_KEYS.split()) <= set(figures)
    assert figures["simulated"] is True
    assert abs(figures["difference_percent"]) < 1.5
    assert (figures["op"], figures["pages_per_block"]) == (0.2, 128)
    assert (figures["gc"], figures["seed"]) == ("greedy", 3)


def test_the_same_seed_gives_the_same_text() -> None:
    words = ("waf", "--blocks=256", "--turns=8", "--gc=d:3")
    assert sim(*words).stdout == sim(*words).stdout


def test_theory_that_is_not_known_is_null() -> None:
    run = sim("waf", "--blocks=256", "--turns=8", "--hot=90/10", "--format=json")
    assert json.loads(run.stdout)["waf_theory"] is None


def test_list_names_all_profiles_and_show_knows_each() -> None:
    listed = json.loads(sim("list", "--format=json").stdout)["profiles"]
    assert {row["name"] for row in listed} == PROFILES
    for name in PROFILES:
        run = sim("show", f"{name},scale=100")
        assert run.returncode == 0, run.stderr
        assert "simulated" in run.stdout


def test_wrong_input_is_one_line_and_exit_4() -> None:
    wrong = [
        ("show", "no-such"), ("show", "nvme-enterprise,op=0%"), ("show", "nvme-enterprise,oop=7%"),
        ("show", "nvme-enterprise,blocks=3"), ("show",), ("waf", "--op=0%"), ("waf", "--gc=best"),
        ("waf", "--hot=80"), ("waf", "--pages-per-block=1"), ("waf", "--turns=9"), ("waf", "--nope"), ("list", "--all"),
    ]  # fmt: skip
    for words in wrong:
        run = sim(*words)
        assert run.returncode == 4, words
        assert run.stdout == ""
        assert len(run.stderr.splitlines()) == 1, run.stderr
