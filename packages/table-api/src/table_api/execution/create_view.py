"""CREATE VIEW."""

from __future__ import annotations

from table_api.delegation import FoundView
from table_api.execution.local_result import ok
from table_api.execution.registry import execute
from table_api.execution.session import TableSession
from table_api.operations.ddl import CreateViewOperation
from table_api.table_result import TableResult
from table_common.catalog import CatalogView, ObjectIdentifier


@execute.register(CreateViewOperation)
def _create_view(operation: CreateViewOperation, session: TableSession) -> TableResult:
    if session.catalog_manager.get_object(operation.identifier) is not None:  # the query may now refer to the view itself
        refuse_cycle(operation.identifier, operation.catalog_view, session)
    session.catalog_manager.create_table(
        operation.identifier, operation.catalog_view, operation.ignore_if_exists, operation.is_temporary, operation.replace
    )
    return ok()


def refuse_cycle(identifier: ObjectIdentifier, view: CatalogView, session: TableSession) -> None:
    session.expand_view(FoundView(identifier, False, query=view.expanded_query))
