"""The release archive: whole, and with what interactive reports need where there is no npm."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from rigs import places

REPO = Path(__file__).resolve().parents[2]
VENDOR = {"uPlot.iife.min.js", "uPlot.min.css", "LICENSE"}
SCRIPT_LEAST = 50_000  # signs of the generated file: uPlot alone has that many bytes


@pytest.fixture
def archive(scratch, need) -> Path:
    need(None if (REPO / ".git").exists() else "no git checkout")
    fetched = (places.BUILD / "src/report/page-script/uplot/lock").exists()
    need(None if fetched else "this build's pages are static: uPlot was not there (npm)")
    done = subprocess.run([REPO / "tools" / "dist", places.BUILD, scratch.path], cwd=REPO, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def script_of(web: Path, output: Path) -> tuple[str, str]:
    """What a build makes of a folder `web` without npm, and what it says."""
    done = subprocess.run([sys.executable, REPO / "tools" / "page_script.py", web, output], text=True,
                          capture_output=True, check=True)  # fmt: skip
    return output.read_text(), done.stderr


def test_a_build_from_it_needs_no_npm(archive, scratch):
    with tarfile.open(archive) as tar:
        tar.extractall(scratch.path)
    top = scratch.path / archive.name.removesuffix(".tar.gz")
    vendor = top / "web" / "vendor"
    assert {path.name for path in vendor.iterdir()} == VENDOR
    assert "MIT" in (vendor / "LICENSE").read_text()
    assert {"meson.build", "Makefile", "README.md", "LICENSE", "src", "tests"} <= set(os.listdir(top))
    text, said = script_of(top / "web", scratch.path / "with.inc")
    assert len(text) > SCRIPT_LEAST and not said
    for path in vendor.iterdir():
        path.unlink()
    text, said = script_of(top / "web", scratch.path / "without.inc")
    assert len(text) < SCRIPT_LEAST and "reports will be static" in said


@pytest.fixture
def without_npm(scratch) -> str:
    """A PATH that has all but npm and node."""
    folder = scratch.path / "bin"
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in Path(place).glob("*"):
            if program.name not in ("npm", "npx", "node", "nodejs"):
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def test_its_own_build_makes_interactive_pages_alone(archive, scratch, need, without_npm):
    """Meson and Ninja as they are called by make, in a namespace without a network."""
    alone = ["unshare", "--net", "--"]
    may = subprocess.run([*alone, "true"], check=False, capture_output=True).returncode == 0
    need(None if may else "no namespace without a network (needs root)")
    with tarfile.open(archive) as tar:
        tar.extractall(scratch.path)
    top = scratch.path / archive.name.removesuffix(".tar.gz")
    script = "src/report/page_script.inc"
    for words in (["sh", "-c", "! command -v npm"], ["meson", "setup", "build"], ["ninja", "-C", "build", script]):
        done = subprocess.run([*alone, *words], cwd=top, text=True, capture_output=True, check=False,
                              env={**os.environ, "PATH": without_npm}, timeout=120)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    assert len((top / "build" / script).read_text()) > SCRIPT_LEAST


def test_it_is_the_same_each_time(archive, scratch):
    first = archive.read_bytes()
    again = subprocess.run([REPO / "tools" / "dist", places.BUILD, scratch.path], cwd=REPO, text=True,
                           capture_output=True, check=True)  # fmt: skip
    assert Path(again.stdout.strip()).read_bytes() == first


def test_without_uplot_it_says_what_to_do(scratch):
    done = subprocess.run([REPO / "tools" / "dist", scratch.path], cwd=REPO, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "build with npm first" in done.stderr
