"""TRUNCATE TABLE."""

from __future__ import annotations

from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl.truncate_table import TruncateTableOperation
from table_api.table_result import TableResult
from table_common.connector.sink.abilities import SupportsTruncate
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.factories import FactoryUtil


@execute.register(TruncateTableOperation)
def _truncate(operation: TruncateTableOperation, session: TableSession) -> TableResult:
    from table_api.plan.connectors_supporting import connectors_supporting
    from table_api.plan.rules.create_sinks import table_sink

    identifier = operation.table.identifier
    sink = table_sink(operation.table, {}, session.rule_context())
    if not isinstance(sink, SupportsTruncate):
        connector = operation.table.table.options.get(FactoryUtil.CONNECTOR.key)
        raise ValidationException(
            f"TRUNCATE TABLE is not supported by the connector '{connector}' of {identifier}.",
            hint=connectors_supporting("TRUNCATE TABLE", SupportsTruncate),
        )
    try:
        sink.execute_truncation()
    except TableError:
        raise
    except Exception as error:
        raise TableRuntimeException(f"Truncating {identifier} failed: {type(error).__name__}: {error}") from error
    return ok()
