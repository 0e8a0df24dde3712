"""EXPLAIN."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ExplainOperation(Operation):
    """``EXPLAIN [details] statement``; ``operation`` is a query, an INSERT or a statement set, details are names of ``ExplainDetail``."""

    operation: Operation
    details: tuple[str, ...] = ()
