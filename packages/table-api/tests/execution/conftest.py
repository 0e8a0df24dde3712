"""An environment for statements that need no engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment
