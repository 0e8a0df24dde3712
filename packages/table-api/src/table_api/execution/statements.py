"""One operation to its result: queries and inserts become jobs of the engine, everything else runs here and now."""

from __future__ import annotations

from table_api.delegation import ProgressListener
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations import Operation, QueryOperation, SinkModifyOperation
from table_api.operations.command import StatementSetOperation
from table_api.table_result import TableResult

__all__ = ["execute_operation"]


def execute_operation(operation: Operation, session: TableSession, progress: ProgressListener | None = None) -> TableResult:
    """Runs an operation.

    Raises:
        TableError: it is not valid, not supported, or failed.
    """
    if isinstance(operation, QueryOperation):
        return session.run_query(operation, progress)
    if isinstance(operation, SinkModifyOperation):
        return session.run_inserts([operation], progress)
    if isinstance(operation, StatementSetOperation):
        return session.run_inserts(operation.operations, progress)
    from table_api.execution import analyze, ddl, describe, explain, function, partition, set, show, use  # noqa: F401  # they register their handlers

    result: TableResult = execute.of(operation)(operation, session)
    return result
