"""JOIN."""

from __future__ import annotations

from table_api.operations.query.join import JoinQueryOperation, JoinType
from table_api.operations.sql_text.block import Block, bare
from table_api.operations.sql_text.expressions import expression_text
from table_api.operations.sql_text.printer import SqlPrinter, write

__all__: list[str] = []

_WORDS = {
    JoinType.INNER: "INNER JOIN",
    JoinType.LEFT_OUTER: "LEFT JOIN",
    JoinType.RIGHT_OUTER: "RIGHT JOIN",
    JoinType.FULL_OUTER: "FULL JOIN",
    JoinType.SEMI: "LEFT SEMI JOIN",
    JoinType.ANTI: "LEFT ANTI JOIN",
}


@write.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, printer: SqlPrinter) -> Block:
    left = printer.relation(printer.query(node.left))
    right = printer.single(printer.query(node.right))
    if node.condition is None and node.join_type is JoinType.INNER:
        source = f"{left.source}\nCROSS JOIN {right.source}"
    else:
        condition = "TRUE" if node.condition is None else bare(expression_text(node.condition, [left.texts, right.texts], printer))
        source = f"{left.source}\n{_WORDS[node.join_type]} {right.source} ON {condition}"
    columns = left.columns if node.join_type in (JoinType.SEMI, JoinType.ANTI) else (*left.columns, *right.columns)
    return Block(columns, source, is_joined=True)
