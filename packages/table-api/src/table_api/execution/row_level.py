"""DELETE and UPDATE."""

from __future__ import annotations

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.table_result import TableResult
from table_common.exceptions import TableError, TableRuntimeException
from table_common.types import BigIntType


@execute.register(DeleteOperation)
def _delete(operation: DeleteOperation, session: TableSession) -> TableResult:
    from table_api.plan.row_level import PushedDeletion, plan_delete

    planned = plan_delete(operation, session.rule_context())
    if not isinstance(planned, PushedDeletion):
        return session.run_inserts([planned])
    try:
        deleted = planned.sink.execute_deletion() if planned.filters is not None else 0
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"Deleting from {planned.table.identifier} failed: {type(error).__name__}: {error}") from error
    return ok() if deleted is None else rows_of([("rows affected", BigIntType(nullable=False))], [(deleted,)])


@execute.register(UpdateOperation)
def _update(operation: UpdateOperation, session: TableSession) -> TableResult:
    from table_api.plan.row_level import plan_update

    return session.run_inserts([plan_update(operation, session.rule_context())])
