"""What all whole-command tests share: rigs as fixtures, skips counted by reason, and the check
that nothing is left.

Run one with   /usr/bin/python3 -m pytest tests/rigs/test_rigs.py -k throttle
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from rigs import ledger, leftovers
from rigs.rig import Rig
from rigs.scratch import Scratch

LEFT = pytest.StashKey[list[str]]()


@pytest.fixture
def rig() -> Iterator[Callable[..., Any]]:
    """rig(Loop, size=64 << 20) sets a rig up until the test ends, or skips the test by the rig's
    own reason.
    """
    with ExitStack() as stack:

        def set_up(kind: type[Rig], *args: Any, **keywords: Any) -> Any:
            need(kind.why_not())
            return stack.enter_context(kind(*args, **keywords))

        yield set_up


@pytest.fixture
def scratch(rig: Callable[..., Any]) -> Scratch:
    """An empty folder below the build folder: scratch.path, scratch.file("name", size)."""
    return rig(Scratch)


def need(reason: str | None) -> None:
    if reason:
        pytest.skip(reason)


@pytest.fixture(name="need")
def need_fixture() -> Callable[[str | None], None]:
    """need(oracle.why_not()) skips by name where a reason is given."""
    return need


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "shared_cpu(tries): holds times of a real device against theory. On a machine that others "
        "share a scheduler's pause can only spoil such a figure, never make it right, so the bound "
        "stays and the measurement is made again, up to so many times.",
    )
    config.addinivalue_line(
        "markers",
        "long_cpu: many seconds of CPU, and minutes under a sanitizer, which runs the shorter tests "
        "beside it only.",
    )


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    marker = pyfuncitem.get_closest_marker("shared_cpu")
    if marker is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    words = {name: pyfuncitem.funcargs[name] for name in names}
    for left in reversed(range(marker.args[0])):
        try:
            pyfuncitem.obj(**words)
            return True
        except AssertionError:
            if left == 0:
                raise
    return True


def pytest_sessionstart(session: pytest.Session) -> None:
    for thing in ledger.sweep():
        print(f"taken down, left by a session that was killed: {thing}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    left = leftovers.find()
    session.config.stash[LEFT] = left
    leftovers.remove()
    if left and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("skipped, by reason")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4}  {reason}")
    left = config.stash.get(LEFT, [])
    if left:
        terminalreporter.section("left behind", red=True)
        for thing in left:
            terminalreporter.line(thing)
