"""Finds columns that Spark must not inline: an expression that uses such a column twice doubles with each level.

``SELECT x + x AS x`` over itself, 40 times, has 40 additions. With each ``x`` inlined it has 2 to the power of 40. Spark inlines columns into
conditions that it pushes down and into whatever is foldable, in several optimizer rules and again in physical planning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import FilterQueryOperation, JoinQueryOperation, ProjectQueryOperation, QueryOperation, SetQueryOperation
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import fold

__all__ = ["barrier", "large_columns"]

_MOST_NODES = 1_000
"""The most nodes of an expression with its columns inlined."""
_TIMES = 2
"""An expression gets a barrier only if inlining makes it more than this many times as large: a long expression of its own needs none."""


def barrier(text: str, *, nullable: bool) -> str:
    """Returns an expression with the same value and nullability that Spark does not inline, because it is non-deterministic."""
    return f"IF(monotonically_increasing_id() < 0, {'NULL' if nullable else text}, {text})"


def large_columns(plan: QueryOperation) -> Mapping[int, frozenset[int]]:
    """Returns, by the id of a projection, its columns that would become too large. Above them, they count like columns of a table."""
    large: dict[int, frozenset[int]] = {}

    def combine(node: QueryOperation, children: Sequence[Sequence[int]]) -> Sequence[int]:
        match node:
            case FilterQueryOperation():
                return children[0]
            case JoinQueryOperation():
                return [*children[0], *children[1]]
            case SetQueryOperation():
                return [max(sizes) for sizes in zip(*children, strict=True)]
            case ProjectQueryOperation():
                sizes = [_size(expression, children[0]) for expression in node.projection]
                found = frozenset(
                    position
                    for position, expression in enumerate(node.projection)
                    if sizes[position] > max(_MOST_NODES, _TIMES * _size(expression, ()))
                )
                if found:
                    large[id(node)] = found
                return [1 if position in found else size for position, size in enumerate(sizes)]
            case _:
                largest = max((size for sizes in children for size in sizes), default=1)
                return [largest] * len(node.resolved_schema.columns)

    fold(plan, QueryOperation, combine)
    return large


def _size(expression: ResolvedExpression, columns: Sequence[int]) -> int:
    """Returns the number of nodes of an expression with its columns inlined; a column that is not given is one node."""

    def combine(node: ResolvedExpression, parts: Sequence[int]) -> int:
        if isinstance(node, FieldReferenceExpression):
            return columns[node.field_index] if node.field_index < len(columns) else 1
        return 1 + sum(parts)

    return fold(expression, ResolvedExpression, combine)
