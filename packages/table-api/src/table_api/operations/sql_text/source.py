"""Tables in FROM."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.query.source import SourceQueryOperation
from table_api.operations.sql_text.block import Block, Column
from table_api.operations.sql_text.printer import SqlPrinter, refusal, write
from table_common.types import quote_identifier, quote_string


@write.register(SourceQueryOperation)
def _source(node: SourceQueryOperation, printer: SqlPrinter) -> Block:
    return table_block(node, node.resolved_schema.column_names, printer)  # of queries as written: nothing is pushed down yet


def table_block(node: SourceQueryOperation, names: Sequence[str], printer: SqlPrinter) -> Block:
    """Returns the table under an alias, with these of its columns.

    Raises:
        ValidationException: the table has no name.
    """
    if node.table.is_anonymous and node.source is not None:
        raise refusal(
            "it contains rows from Python values or Arrow data.",
            "create_temporary_view, or write the rows into a table and create a view of it",
        )
    if node.table.is_anonymous:
        raise refusal(
            "it reads a table that was given as a descriptor and has no name.", "create_table(path, descriptor) and from_path(path)"
        )
    identifier = node.table.identifier
    name = printer.alias(identifier.object_name)
    alias = quote_identifier(name)
    columns = tuple(Column(f"{alias}.{quote_identifier(name)}", name, own_name=name) for name in names)
    return Block(columns, f"{identifier.as_serializable_string()}{_hints(node)} AS {alias}", alias=name)


def _hints(node: SourceQueryOperation) -> str:
    if not node.options:
        return ""
    return f" /*+ OPTIONS({', '.join(f'{quote_string(key)}={quote_string(value)}' for key, value in node.options.items())}) */"
