"""Tables that a program describes and does not name."""

from __future__ import annotations

from itertools import count

from table_api.execution import TableSession
from table_api.operations import ContextResolvedTable
from table_api.table_descriptor import TableDescriptor
from table_common.catalog import ObjectIdentifier, Schema

_ANONYMOUS = count(1)


def anonymous_table(session: TableSession, descriptor: TableDescriptor, default_schema: Schema | None = None) -> ContextResolvedTable:
    """Returns the table that a descriptor defines, under a generated unique name.

    Raises:
        ValidationException: the descriptor has no schema and there is no default, or the schema is invalid.
    """
    resolved = session.catalog_manager.schema_resolver.resolve_table(descriptor.to_catalog_table(default_schema))
    name = f"*anonymous_{descriptor.options.get('connector', 'table')}${next(_ANONYMOUS)}*"
    manager = session.catalog_manager
    identifier = ObjectIdentifier(manager.current_catalog, manager.current_database, name)
    return ContextResolvedTable(identifier, resolved, is_temporary=True, is_anonymous=True)
