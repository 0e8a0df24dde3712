"""LATERAL."""

from __future__ import annotations

from table_api.operations.query.correlate import CorrelateQueryOperation
from table_api.operations.query.join import JoinType
from table_api.operations.sql_text.block import Block, Column, unique
from table_api.operations.sql_text.expressions import expression_text
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.types import quote_identifier


@write.register(CorrelateQueryOperation)
def _correlate(node: CorrelateQueryOperation, printer: SqlPrinter) -> Block:
    left = printer.relation(printer.query(node.left))
    arguments = [expression_text(argument, [left.texts], printer) for argument in node.arguments]
    right = printer.inside(arguments).query(node.right)
    alias = quote_identifier(printer.alias("q"))
    names = unique(right.names)
    columns = [Column(f"{alias}.{quote_identifier(inner)}", name, own_name=inner) for inner, name in zip(names, right.names, strict=True)]
    words, condition = ("CROSS JOIN", "") if node.join_type is JoinType.INNER else ("LEFT JOIN", " ON TRUE")
    source = f"{left.source}\n{words} LATERAL (\n{right.render()}\n) AS {alias}{condition}"
    return Block((*left.columns, *columns), source, is_joined=True, state_ttls=left.state_ttls, strategies=left.strategies)
