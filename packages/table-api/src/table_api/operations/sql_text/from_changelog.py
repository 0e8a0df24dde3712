"""FROM_CHANGELOG in FROM."""

from __future__ import annotations

from table_api.operations.query.from_changelog import FromChangelogQueryOperation
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.connector import RowKind
from table_common.types import quote_identifier, quote_string


@write.register(FromChangelogQueryOperation)
def _from_changelog(node: FromChangelogQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.query(node.child)
    below = below.with_columns(below.columns, Stage.SELECT)
    inner = unique(below.names)
    op = inner.pop(node.op.field_index)
    arguments = [f"input => (\n{below.render()}\n)", f"op => DESCRIPTOR({quote_identifier(op)})"]
    if node.codes != tuple((kind.name, kind) for kind in RowKind):
        codes: dict[RowKind, list[str]] = {}
        for code, kind in node.codes:
            codes.setdefault(kind, []).append(code)
        pairs = ", ".join(f"{quote_string(','.join(texts))}, {quote_string(kind.name)}" for kind, texts in codes.items())
        arguments.append(f"op_mapping => MAP[{pairs}]")
    alias = quote_identifier(printer.alias("c"))
    columns = (Column(f"{alias}.{quote_identifier(own)}", own, own_name=own) for own in inner)
    return Block(tuple(columns), f"FROM_CHANGELOG({', '.join(arguments)}) AS {alias}")
