"""Finds the catalog and the module that errors are planted in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(autouse=True)
def _empty_stores() -> Iterator[None]:
    """Empties the stores of the catalogs after each test."""
    yield
    from shelf import STORES

    STORES.clear()
