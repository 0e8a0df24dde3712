"""Finds the connector that errors are planted in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(autouse=True)
def _without_errors() -> Iterator[None]:
    """Removes the planted error and the tables after each test."""
    yield
    from ledger import STAGED, TABLES
    from planted import plant

    plant(None)
    TABLES.clear()
    STAGED.clear()
