"""String concatenation: CONCAT, CONCAT_WS and ``||``, whose chains become one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings as fn
from table_planner_spark.expressions.functions.translation import Translation
from table_planner_spark.expressions.value_sizes import guarded_together, most_octets, octets_together, refused


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain ``a || b || c`` as a linked list from its last operand. It becomes one call, because Spark's time grows with nested calls.

    Its text is generated where another expression uses the chain, so that the text and its size guard are generated once.
    """

    left: Chain | str
    call: CallExpression
    right: str


def is_link(node: ResolvedExpression) -> bool:
    """Returns whether an expression is ``a || b``, which is kept as a ``Chain`` until its text is needed."""
    return isinstance(node, CallExpression) and node.function is fn.CONCAT_OP


def as_text(text: Chain | str) -> str:
    """Returns Spark SQL for a chain; text is returned unchanged."""
    if isinstance(text, str):
        return text
    operands: list[tuple[ResolvedExpression, str]] = []
    link: Chain | str = text
    while isinstance(link, Chain):
        operands.append((link.call.args[1], link.right))
        if isinstance(link.left, str):
            operands.append((link.call.args[0], link.left))
        link = link.left
    operands.reverse()
    return guarded_together("||", operands, 0, _joined)


def _joined(texts: Sequence[str]) -> str:
    return f"concat({', '.join(texts)})"


def _concat_op(call: CallExpression, args: Sequence[str]) -> str:
    return as_text(Chain(args[0], call, args[1]))


def _concat(call: CallExpression, args: Sequence[str]) -> str:
    return guarded_together("CONCAT", list(zip(call.args, args, strict=True)), 0, _joined)


def _concat_ws(call: CallExpression, args: Sequence[str]) -> str:
    separator, *others = zip(call.args, args, strict=True)
    count = len(others)
    between = most_octets(separator[0])

    def made(texts: Sequence[str]) -> str:
        return f"concat_ws({', '.join([args[0], *texts])})"

    if between is not None and between * count <= _SHORT:
        return guarded_together("CONCAT_WS", others, 0, made, ignores_null=True)
    given = [f"if({text} IS NULL, 0, 1)" for argument, text in others if not isinstance(argument, ValueLiteralExpression)]
    fixed = sum(isinstance(argument, ValueLiteralExpression) and argument.value is not None for argument, _ in others)
    separators = f"octet_length({args[0]}) * CAST(greatest({' + '.join([str(fixed), *given])} - 1, 0) AS BIGINT)"
    return refused("CONCAT_WS", f"({octets_together(args[1:], ignores_null=True)} + {separators})", made(args[1:]))


_SHORT = 1 << 16
"""Total bytes of separators up to which the size guard ignores them."""

FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.CONCAT_OP: _concat_op,
    fn.CONCAT: _concat,
    fn.CONCAT_WS: _concat_ws,
}
