"""The builder of operations over the tables of the session."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.resolution.operation_builder import OperationBuilder


@pytest.fixture
def sql(session: Any) -> OperationBuilder:
    return OperationBuilder(session, "SELECT nam FROM t")


@pytest.fixture
def api(session: Any) -> OperationBuilder:
    """The builder of the Table API, without a statement."""
    return OperationBuilder(session)
