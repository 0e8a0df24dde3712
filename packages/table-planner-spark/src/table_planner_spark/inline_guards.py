"""Finds columns that Spark must not inline: an expression that uses such a column twice doubles with each level.

``SELECT x + x AS x`` over itself, 40 times, has 40 additions. With each ``x`` inlined it has 2 to the power of 40. Spark inlines columns into
conditions that it pushes down and into whatever is foldable, in several optimizer rules and again in physical planning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from table_api.operations import FilterQueryOperation, JoinQueryOperation, ProjectQueryOperation, QueryOperation, SetQueryOperation
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import by_class, fold, preorder

_MOST_NODES = 1_000
"""The most nodes of an expression with its columns inlined."""
_TIMES = 2
"""An expression gets a barrier only if inlining makes it more than this many times as large: a long expression of its own needs none."""


def barrier(text: str, *, nullable: bool) -> str:
    """Returns an expression with the same value and nullability that Spark does not inline, because it is non-deterministic."""
    return f"IF(monotonically_increasing_id() < 0, {'NULL' if nullable else text}, {text})"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a node: its nodes if Spark inlines it, and the projections that compute it, each with the column's position."""

    size: int = 1
    computed_by: frozenset[tuple[int, int]] = frozenset()


_PLAIN = _Column()


def large_columns(plan: QueryOperation) -> Mapping[int, frozenset[int]]:
    """Returns, by the id of a projection, its columns that would become too large. Above them, they count like columns of a table.

    These are columns that are too large themselves, and computed columns of a condition that would become too large: for the condition of a
    filter, the time of Spark's code generation is exponential in the depth of repeated parts.
    """
    large: dict[int, set[int]] = {}

    @by_class
    def combine(node: QueryOperation, children: Sequence[list[_Column]]) -> list[_Column]:
        widest = _any_of([column for columns in children for column in columns])
        return [widest] * len(node.resolved_schema.columns)

    @combine.register(FilterQueryOperation)
    def _filter(node: FilterQueryOperation, children: Sequence[list[_Column]]) -> list[_Column]:
        return above_condition(node.condition, children)

    @combine.register(JoinQueryOperation)
    def _join(node: JoinQueryOperation, children: Sequence[list[_Column]]) -> list[_Column]:
        columns = children[0] + children[1] if node.condition is None else above_condition(node.condition, children)
        return columns[: len(node.resolved_schema.columns)]

    @combine.register(SetQueryOperation)
    def _set(node: SetQueryOperation, children: Sequence[list[_Column]]) -> list[_Column]:
        return [_any_of(columns) for columns in zip(*children, strict=True)]

    @combine.register(ProjectQueryOperation)
    def _project(node: ProjectQueryOperation, children: Sequence[list[_Column]]) -> list[_Column]:
        return [project(id(node), position, expression, children) for position, expression in enumerate(node.projection)]

    def project(node: int, position: int, expression: ResolvedExpression, inputs: Sequence[list[_Column]]) -> _Column:
        if isinstance(expression, FieldReferenceExpression):
            return _column(expression, inputs)
        size = _size(expression, inputs)
        if _is_large(size, expression):
            large.setdefault(node, set()).add(position)
            return _PLAIN
        return _Column(size, frozenset({(node, position)}))

    def above_condition(condition: ResolvedExpression, inputs: Sequence[list[_Column]]) -> list[_Column]:
        columns = [column for input_ in inputs for column in input_]
        if not _is_large(_size(condition, inputs), condition):
            return columns
        references = [node for node in preorder(condition, ResolvedExpression) if isinstance(node, FieldReferenceExpression)]
        found = {computed for reference in references for computed in _column(reference, inputs).computed_by}
        for node, position in found:
            large.setdefault(node, set()).add(position)
        return [_PLAIN if column.computed_by & found else column for column in columns]

    fold(plan, QueryOperation, combine)
    return {node: frozenset(positions) for node, positions in large.items()}


def _is_large(size: int, expression: ResolvedExpression) -> bool:
    return size > _MOST_NODES and size > _TIMES * _size(expression, ())


def _any_of(columns: Sequence[_Column]) -> _Column:
    """Returns the column that stands for all of these: Spark may inline any of them into a condition above."""
    size = max((column.size for column in columns), default=1)
    return _Column(size, frozenset(computed for column in columns for computed in column.computed_by))


def _column(reference: FieldReferenceExpression, inputs: Sequence[list[_Column]]) -> _Column:
    """Returns the column that is meant; one that is not given is one node."""
    columns = inputs[reference.input_index] if reference.input_index < len(inputs) else []
    return columns[reference.field_index] if reference.field_index < len(columns) else _PLAIN


def _size(expression: ResolvedExpression, inputs: Sequence[list[_Column]]) -> int:
    """Returns the number of nodes of an expression with its columns inlined."""

    def combine(node: ResolvedExpression, parts: Sequence[int]) -> int:
        return _column(node, inputs).size if isinstance(node, FieldReferenceExpression) else 1 + sum(parts)

    return fold(expression, ResolvedExpression, combine)
