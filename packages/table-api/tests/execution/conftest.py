"""An environment for statements that need no engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment
