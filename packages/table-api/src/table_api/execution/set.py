"""SET and RESET."""

from __future__ import annotations

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.command import ResetOperation, SetOperation
from table_api.table_result import TableResult
from table_common.secrets import mask_options
from table_common.types import VarCharType

__all__: list[str] = []


@execute.register(SetOperation)
def _set(operation: SetOperation, session: TableSession) -> TableResult:
    if operation.key is None:
        shown = mask_options(session.config.to_map())
        return rows_of([("key", VarCharType()), ("value", VarCharType())], sorted(shown.items()))
    session.config.set(operation.key, operation.value or "")
    return ok()


@execute.register(ResetOperation)
def _reset(operation: ResetOperation, session: TableSession) -> TableResult:
    session.reset_option(operation.key)
    return ok()
