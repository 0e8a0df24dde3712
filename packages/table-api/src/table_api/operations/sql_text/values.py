"""VALUES."""

from __future__ import annotations

from table_api.operations.query.values import ValuesQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Column, Stage, unique
from table_api.operations.sql_text.expressions import expression_text, type_text
from table_api.operations.sql_text.printer import SqlPrinter, refusal, write
from table_common.types import quote_identifier

_NO_FROM = ("$row",)
"""The columns of the one row that a query without FROM is over."""


@write.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, printer: SqlPrinter) -> Block:
    names = node.schema.column_names
    if node.is_of_program:
        raise refusal(
            f"it holds {len(node.rows)} rows from Python values.",
            "create_temporary_view, or write the rows into a table and create a view of it",
        )
    if names == _NO_FROM:
        return Block((Column("0", names[0], Cell.OTHER),))
    if not node.rows:
        columns = tuple(Column(f"CAST(NULL AS {type_text(column.data_type)})", column.name, Cell.OTHER) for column in node.schema.columns)
        empty = Block(columns, f"(VALUES (0)) AS {quote_identifier(printer.alias('q'))}", where=("FALSE",), stage=Stage.SELECT)
        return printer.relation(empty)
    alias = quote_identifier(printer.alias("v"))
    rows = ", ".join(f"({', '.join(expression_text(cell, [], printer) for cell in row)})" for row in node.rows)
    final = unique(names)
    source = f"(VALUES {rows}) AS {alias} ({', '.join(map(quote_identifier, final))})"
    columns = tuple(Column(f"{alias}.{quote_identifier(inner)}", name, own_name=inner) for inner, name in zip(final, names, strict=True))
    return Block(columns, source)
