"""Emptying a table."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_api.operations.query.source import ContextResolvedTable
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TruncateTableOperation(Operation):
    """``TRUNCATE TABLE``: the table stays, its rows go."""

    table: ContextResolvedTable
