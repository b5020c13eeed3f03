"""For tests of whole commands: the programs, which must be built. A missing program fails, it
does not skip.
"""

from pathlib import Path

import pytest

from rigs.assay import ASSAY, FIO_FACE


@pytest.fixture
def assay() -> Path:
    """The program under its own name, for run(..., program=assay)."""
    return _built(ASSAY)


@pytest.fixture
def fio_face() -> Path:
    """The same program under the name that gives it fio's face."""
    return _built(FIO_FACE)


def _built(program: Path) -> Path:
    if not program.exists():
        pytest.fail(f"{program} is not built: run make, or set ASSAY_BUILD", pytrace=False)
    return program
