"""TO_CHANGELOG in FROM."""

from __future__ import annotations

from table_api.operations.query.to_changelog import ToChangelogQueryOperation
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.connector import RowKind
from table_common.types import quote_identifier, quote_string


@write.register(ToChangelogQueryOperation)
def _to_changelog(node: ToChangelogQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.query(node.child)
    below = below.with_columns(below.columns, Stage.SELECT)
    names = [node.op_name, *unique(below.names)]
    arguments = [f"input => (\n{below.render()}\n)", f"op => DESCRIPTOR({quote_identifier(node.op_name)})"]
    if node.codes != tuple((kind, kind.name) for kind in RowKind):
        pairs = ", ".join(f"{quote_string(kind.name)}, {quote_string(code)}" for kind, code in node.codes)
        arguments.append(f"op_mapping => MAP[{pairs}]")
    alias = quote_identifier(printer.alias("c"))
    columns = (Column(f"{alias}.{quote_identifier(own)}", own, own_name=own) for own in names)
    return Block(tuple(columns), f"TO_CHANGELOG({', '.join(arguments)}) AS {alias}")
