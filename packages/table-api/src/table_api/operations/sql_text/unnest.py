"""UNNEST, and calls of table functions."""

from __future__ import annotations

from table_api.operations.query.unnest import UnnestQueryOperation
from table_api.operations.sql_text.block import Block, Column, unique
from table_api.operations.sql_text.expressions import expression_text
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.expressions import CallExpression
from table_common.functions import FunctionKind
from table_common.types import quote_identifier


@write.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.query(node.child)
    has_from = bool(below.source or below.body)
    left = printer.relation(below) if has_from else below
    text = expression_text(node.expression, [left.texts], printer)
    is_call = isinstance(node.expression, CallExpression) and node.expression.function.kind in (
        FunctionKind.TABLE,
        FunctionKind.ASYNC_TABLE,
    )
    alias = quote_identifier(printer.alias("u"))
    names = unique(node.names)
    ordinality = " WITH ORDINALITY" if node.with_ordinality else ""
    table = f"LATERAL TABLE({text})" if is_call else f"UNNEST({text}){ordinality}"
    table = f"{table} AS {alias} ({', '.join(map(quote_identifier, names))})"
    columns = [Column(f"{alias}.{quote_identifier(inner)}", name, own_name=inner) for inner, name in zip(names, node.names, strict=True)]
    if has_from:
        words, condition = ("LEFT JOIN", " ON TRUE") if node.keeps_empty else ("CROSS JOIN", "")
        table = f"{left.source}\n{words} {table}{condition}"
    return Block((*left.columns, *columns), table, is_joined=has_from, state_ttls=left.state_ttls, strategies=left.strategies)
