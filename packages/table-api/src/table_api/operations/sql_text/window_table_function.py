"""TUMBLE, HOP, CUMULATE and SESSION in FROM."""

from __future__ import annotations

from table_api.operations.query.window_table_function import WindowTableFunctionQueryOperation
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.expressions import ValueLiteralExpression
from table_common.types import DayTimeIntervalType, quote_identifier


@write.register(WindowTableFunctionQueryOperation)
def _window_table_function(node: WindowTableFunctionQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.query(node.child)
    below = below.with_columns(below.columns, Stage.SELECT)
    names = unique([*below.names, *node.names])
    inner = unique(below.names)
    data = f"(\n{below.render()}\n)"
    if node.partition_by:
        data += f" PARTITION BY {', '.join(quote_identifier(inner[key.field_index]) for key in node.partition_by)}"
    lengths = [
        _length(milliseconds)
        for name, _ in node.window.parameters()
        if (milliseconds := getattr(node.window, name.lower())) or name != "OFFSET"
    ]
    time = f"DESCRIPTOR({quote_identifier(inner[node.time.field_index])})"
    alias = quote_identifier(printer.alias("w"))
    call = f"{node.window.FUNCTION}({data}, {', '.join([time, *lengths])})"
    columns = [
        Column(f"{alias}.{quote_identifier(own)}", name, own_name=own) for own, name in zip(names, (*below.names, *node.names), strict=True)
    ]
    return Block(tuple(columns), f"TABLE({call}) AS {alias} ({', '.join(map(quote_identifier, names))})")


def _length(milliseconds: int) -> str:
    literal = ValueLiteralExpression(milliseconds * 1_000_000, DayTimeIntervalType(nullable=False))
    return literal.as_serializable_string()
