"""What make installs, and that the commands which README.md shows are really run."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from rigs import places

README_COMMANDS = places.REPO / "tools" / "readme-commands"
INSTALL = places.REPO / "tools" / "install-program"


def install(what: str, prefix: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """As the Makefile calls it after the build, without a build."""
    return subprocess.run(
        [INSTALL, places.BUILD, what],
        cwd=places.REPO,
        env={**os.environ, "PREFIX": str(prefix), **env},
        capture_output=True,
        text=True,
        check=False,
    )


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir()}


@pytest.fixture
def prefix(assay, scratch) -> Path:
    """A folder in which assay is installed."""
    done = install("assay", scratch.path)
    assert done.returncode == 0, done.stderr
    return scratch.path


def test_install_brings_the_program_and_its_man_page(prefix):
    assert {"bin/assay", "share/man/man1/assay.1"} <= files(prefix)
    said = subprocess.run([prefix / "bin/assay", "--version"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout.startswith("assay ")


def test_install_brings_no_fio(prefix):
    assert not [name for name in files(prefix) if Path(name).stem == "fio"]


def test_man_page_names_every_option_of_help(assay, prefix):
    page = (prefix / "share/man/man1/assay.1").read_text().replace("\\-", "-")
    listed = subprocess.run([assay, "help", "options"], capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z][a-z0-9_-]*)", listed, re.MULTILINE)
    assert len(names) > 100
    missing = [n for n in names if f"\\fB{n}\\fR" not in page and f"\\fB--{n}\\fR" not in page]
    assert not missing


def test_man_page_has_no_error_of_roff(prefix, need):
    page = prefix / "share/man/man1/assay.1"
    try:
        said = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page],
            env={**os.environ, "MANPAGER": "cat"},
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        need("no man")
    assert said.returncode == 0 and not said.stderr


def test_install_fio_is_a_link_and_leaves_a_foreign_fio_alone(prefix):
    assert install("fio", prefix).returncode == 0
    assert os.readlink(prefix / "bin/fio") == "assay"
    (prefix / "bin/fio").unlink()
    (prefix / "bin/fio").write_text("theirs")
    refused = install("fio", prefix)
    assert refused.returncode == 1 and "not ours" in refused.stderr
    assert (prefix / "bin/fio").read_text() == "theirs"


def test_uninstall_leaves_nothing_but_a_foreign_fio(prefix):
    (prefix / "bin/fio").write_text("theirs")
    assert install("remove", prefix).returncode == 0
    assert files(prefix) == {"bin/fio"}


def test_destdir_comes_before_the_prefix(assay, scratch):
    assert install("assay", Path("/opt/x"), DESTDIR=str(scratch.path)).returncode == 0
    assert (scratch.path / "opt/x/bin/assay").exists()


def readme(scratch, text: str) -> Path:
    path = scratch.path / "page.md"
    path.write_text(text)
    return path


def commands(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([README_COMMANDS, *args], cwd=cwd, capture_output=True, text=True)


PAGE = """\
# Page
```sh
touch unmarked
```
<!-- tested -->
```sh
touch marked   # with a remark
$ touch prompt
```
<!-- tested -->

Prose takes the mark away.
```sh
touch late
```
"""


def test_marked_commands_are_run_and_no_others(scratch):
    done = commands(readme(scratch, PAGE), cwd=scratch.path)
    assert done.returncode == 0, done.stderr
    assert files(scratch.path) == {"page.md", "marked", "prompt"}


def test_a_marked_command_that_fails_is_a_failure(scratch):
    page = readme(scratch, "<!-- tested -->\n```\nfalse\ntouch after\n```\n")
    done = commands(page, cwd=scratch.path)
    assert done.returncode != 0 and '"false"' in done.stderr
    assert files(scratch.path) == {"page.md"}


def test_readme_has_the_two_commands_marked_and_ci_runs_them():
    listed = commands("--list", places.REPO / "README.md").stdout.splitlines()
    assert {"make quick", "make test"} <= set(listed)
    assert "tools/readme-commands --list README.md" in (places.REPO / ".ci/run").read_text()


def test_make_says_what_it_can_do():
    said = subprocess.run(["make", "-s", "help"], cwd=places.REPO, capture_output=True, text=True)
    for target in ("all", "quick", "test", "bench", "lint", "clean", "install", "install-fio"):
        assert f"make {target} " in said.stdout
