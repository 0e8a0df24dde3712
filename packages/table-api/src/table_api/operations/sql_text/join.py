"""JOIN."""

from __future__ import annotations

from table_api.operations.query.join import JoinQueryOperation, JoinType
from table_api.operations.sql_text.block import Block, bare
from table_api.operations.sql_text.expressions import expression_text
from table_api.operations.sql_text.printer import SqlPrinter, write

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
    left, right = printer.query(node.left), printer.query(node.right)
    left = printer.relation(left) if node.state_ttl[0] is None and node.strategies[0] is None else printer.named(left)
    right = printer.single(right) if node.state_ttl[1] is None and node.strategies[1] is None else printer.named(right)
    state_ttls = [(side.alias, ttl.text) for side, ttl in zip((left, right), node.state_ttl, strict=True) if ttl is not None]
    strategies = [(way.value, side.alias) for side, way in zip((left, right), node.strategies, strict=True) if way is not None]
    if node.condition is None and node.join_type is JoinType.INNER:
        source = f"{left.source}\nCROSS JOIN {right.source}"
    else:
        condition = "TRUE" if node.condition is None else bare(expression_text(node.condition, [left.texts, right.texts], printer))
        source = f"{left.source}\n{_WORDS[node.join_type]} {right.source} ON {condition}"
    columns = left.columns if node.join_type in (JoinType.SEMI, JoinType.ANTI) else (*left.columns, *right.columns)
    hints = (*left.strategies, *strategies)
    return Block(columns, source, is_joined=True, state_ttls=(*left.state_ttls, *state_ttls), strategies=hints)
