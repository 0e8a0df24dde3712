"""DELETE, UPDATE and TRUNCATE TABLE."""

from __future__ import annotations

from table_api.execution.local_result import ok, rows_of
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl.truncate_table import TruncateTableOperation
from table_api.operations.modify import DeleteOperation, UpdateOperation
from table_api.table_result import TableResult
from table_common.connector.sink.abilities import SupportsTruncate
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.factories import FactoryUtil
from table_common.types import BigIntType

__all__: list[str] = []


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


@execute.register(TruncateTableOperation)
def _truncate(operation: TruncateTableOperation, session: TableSession) -> TableResult:
    from table_api.plan.able_connectors import able_connectors
    from table_api.plan.rules.create_sinks import table_sink

    identifier = operation.table.identifier
    sink = table_sink(operation.table, {}, session.rule_context())
    if not isinstance(sink, SupportsTruncate):
        connector = operation.table.table.options.get(FactoryUtil.CONNECTOR.key)
        raise ValidationException(
            f"TRUNCATE TABLE is not supported by the connector '{connector}' of {identifier}.",
            hint=able_connectors("TRUNCATE TABLE", SupportsTruncate),
        )
    try:
        sink.execute_truncation()
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"Truncating {identifier} failed: {type(error).__name__}: {error}") from error
    return ok()
