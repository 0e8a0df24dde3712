"""What a catalog knows of the refreshes of a materialized table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from table_api.execution.session import TableSession
from table_common.catalog import CatalogMaterializedTable, CatalogView, ObjectIdentifier, RefreshStatus
from table_common.exceptions import CatalogConflictException, ValidationException

_ATTEMPTS = 100


def materialized_table(identifier: ObjectIdentifier, session: TableSession) -> CatalogMaterializedTable:
    """Returns a materialized table.

    Raises:
        CatalogException: it does not exist.
        ValidationException: it is a table or view.
    """
    found = session.catalog_manager.get_object(identifier)
    if found is None:
        raise session.catalog_manager.table_not_found(identifier.parts)
    if not isinstance(found[0], CatalogMaterializedTable):
        kind = "view" if isinstance(found[0], CatalogView) else "table"
        raise ValidationException(f"{identifier} is a {kind}, not a materialized table.", hint=f"use the statement for {kind}s")
    return found[0]


def record(
    identifier: ObjectIdentifier, session: TableSession, status: RefreshStatus | None = None, **changes: str | None
) -> CatalogMaterializedTable:
    """Changes the status and entries of the handler (None removes one) of a table; others may alter it at the same time."""
    for attempt in range(_ATTEMPTS):
        table = materialized_table(identifier, session)
        handler: Mapping[str, str | None] = {**table.refresh_handler, **changes}
        new = table.with_refresh(status or table.refresh_status, {key: value for key, value in handler.items() if value is not None})
        try:
            session.catalog_manager.alter_table(identifier, new, expected=table)
            return new
        except CatalogConflictException:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the loop returns or raises")


def last_refresh(table: CatalogMaterializedTable) -> datetime | None:
    """Returns the time of the data of the last full refresh that has ended; None before the first."""
    text = table.refresh_handler.get("last_refresh")
    return datetime.fromisoformat(text) if text is not None else None
