"""Chains of joins whose order can change: inner joins, and the outer, semi and anti joins among them.

A semi or anti join drops left rows, and a left outer join adds columns to them. So its right input is *attached*: it can be joined as soon as
the inputs that its condition refers to are joined, and it is always the right side of its join.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_api.operations import FilterQueryOperation, JoinQueryOperation, JoinType, ProjectQueryOperation, QueryOperation
from table_common.expressions import (
    FieldReferenceExpression,
    ResolvedExpression,
    conjuncts,
    field_references,
    is_deterministic,
    map_references,
)
from table_common.frozen_dataclass import dataclass
from table_common.tree import by_class, preorder, reader_counts

MOST_INPUTS = 24
"""Longer chains keep their order: the search takes cubic time in the number of inputs."""
_ATTACHED = (JoinType.LEFT_OUTER, JoinType.SEMI, JoinType.ANTI)


@dataclass(frozen=True, slots=True)
class Leaf:
    """An input of a chain; its columns have the positions from ``start`` in the chain."""

    node: QueryOperation
    start: int
    join_type: JoinType = JoinType.INNER
    """How it is joined; every other kind than INNER is attached."""
    on: tuple[Condition, ...] = ()
    """The conditions of an attached input."""
    required: int = 0
    """The inputs, as bits, that must be joined before an attached one."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct over the positions of the chain, and the inputs that it refers to, as bits."""

    expression: ResolvedExpression
    about: int


@dataclass(frozen=True, slots=True)
class JoinChain:
    """The inputs of a chain in written order, and what its inner joins ask."""

    leaves: tuple[Leaf, ...]
    conditions: tuple[Condition, ...]
    output: tuple[int, ...]
    """The positions of the columns of the topmost join."""
    written: tuple[object, ...] | int
    """The written order as nested pairs of positions of inputs."""

    def leaf_of(self, position: int) -> int:
        """Returns which input a column belongs to."""
        return next(index for index in range(len(self.leaves) - 1, -1, -1) if self.leaves[index].start <= position)


def moved(expression: ResolvedExpression, place: Callable[[FieldReferenceExpression], tuple[int, int]]) -> ResolvedExpression:
    """Returns the expression with references to other columns; ``place`` returns their input and position."""

    def change(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        input_index, position = place(reference)
        return FieldReferenceExpression(reference.name, reference.output_type, input_index, position)

    return map_references(expression, change)


def written_chains(root: QueryOperation) -> Mapping[int, JoinChain]:
    """Returns the chains of a plan by the identity of their topmost join."""
    nodes = preorder(root, QueryOperation)
    readers = reader_counts(nodes, QueryOperation)
    chains: dict[int, JoinChain] = {}
    inside: set[int] = set()
    for node in nodes:
        if not _is_member(node) or id(node) in inside:
            continue
        collection = _Collection(node, readers, set())
        opaque = collection.hidden
        while collection.hidden and id(node) not in opaque:
            collection = _Collection(node, readers, opaque)
            opaque |= collection.hidden
        if id(node) in opaque:
            continue
        inside |= collection.nodes
        chain = collection.chain
        if 2 <= len(chain.leaves) <= MOST_INPUTS and all(
            is_deterministic([c.expression]) for c in (*chain.conditions, *(c for leaf in chain.leaves for c in leaf.on))
        ):
            chains[id(node)] = chain
    return chains


def _is_member(node: QueryOperation) -> bool:
    return isinstance(node, JoinQueryOperation) and (node.join_type is JoinType.INNER or node.join_type in _ATTACHED)


_Visited = tuple[Sequence[int], tuple[object, ...] | int]
"""The positions of a node's columns in the chain, and the written order of its inputs."""


class _Collection:
    """The chain below a join. ``hidden`` are outer joins that cannot be part of it, since an inner join reads what they attach."""

    def __init__(self, top: QueryOperation, readers: Mapping[int, int], opaque: set[int]) -> None:
        self._readers = readers
        self._opaque = opaque
        self._leaves: list[tuple[QueryOperation, int, JoinType, list[ResolvedExpression]]] = []
        self._attached_by: dict[int, int] = {}
        self._conditions: list[ResolvedExpression] = []
        self._width = 0
        self.nodes: set[int] = set()
        output, written = self._visit(top, is_top=True)
        owners = [index for index, (node, *_) in enumerate(self._leaves) for _ in node.resolved_schema.columns]

        def condition(expression: ResolvedExpression) -> Condition:
            about = 0
            for reference in field_references(expression):
                about |= 1 << owners[reference.field_index]
            return Condition(expression, about)

        conditions = tuple(map(condition, dict.fromkeys(self._conditions)))
        leaves = []
        for index, (node, start, join_type, on) in enumerate(self._leaves):
            made = tuple(map(condition, on))
            required = 0
            for one in made:
                required |= one.about
            leaves.append(Leaf(node, start, join_type, made, required & ~(1 << index)))
        self.chain = JoinChain(tuple(leaves), conditions, tuple(output), written)
        read = 0
        for one in conditions:
            read |= one.about
        # A condition of WHERE on what an outer join adds must stay above it; an attached input needs something to be attached to.
        self.hidden = {
            join
            for index, join in self._attached_by.items()
            if (read >> index & 1 and leaves[index].join_type is JoinType.LEFT_OUTER) or not leaves[index].required
        }

    def _is_inside(self, node: QueryOperation) -> bool:
        if self._readers[id(node)] != 1 or id(node) in self._opaque:  # what several nodes read runs once
            return False
        below = _passed_through(node)
        return _is_member(node) if below is None else self._is_inside(below)

    def _visit(self, node: QueryOperation, *, is_top: bool = False) -> _Visited:
        if not is_top and not self._is_inside(node):
            return self._add(node, JoinType.INNER)
        self.nodes.add(id(node))
        return _visited(node, self)

    def _add(self, node: QueryOperation, join_type: JoinType) -> tuple[Sequence[int], int]:
        self._leaves.append((node, self._width, join_type, []))
        positions = range(self._width, self._width + len(node.resolved_schema.columns))
        self._width = positions.stop
        return positions, len(self._leaves) - 1


@by_class
def _passed_through(node: QueryOperation) -> QueryOperation | None:
    """Returns the input of a node above which a chain may go on."""
    return None


@by_class
def _visited(node: QueryOperation, chain: _Collection) -> _Visited:
    raise AssertionError(node.summary_name)


@_passed_through.register(ProjectQueryOperation)
def _through_columns(node: ProjectQueryOperation) -> QueryOperation | None:
    return node.child if all(isinstance(e, FieldReferenceExpression) for e in node.projection) else None


@_visited.register(ProjectQueryOperation)
def _visited_columns(node: ProjectQueryOperation, chain: _Collection) -> _Visited:
    positions, written = chain._visit(node.child)
    return [positions[e.field_index] for e in node.projection if isinstance(e, FieldReferenceExpression)], written


@_passed_through.register(FilterQueryOperation)
def _through_filter(node: FilterQueryOperation) -> QueryOperation | None:
    return node.child if is_deterministic([node.condition]) else None


@_visited.register(FilterQueryOperation)
def _visited_filter(node: FilterQueryOperation, chain: _Collection) -> _Visited:
    positions, written = chain._visit(node.child)
    chain._conditions += _placed(node.condition, (positions,))
    return positions, written


@_visited.register(JoinQueryOperation)
def _visited_join(node: JoinQueryOperation, chain: _Collection) -> _Visited:
    left, left_written = chain._visit(node.left)
    if node.join_type is JoinType.INNER:
        right, right_written = chain._visit(node.right)
        chain._conditions += _placed(node.condition, (left, right))
        return [*left, *right], (left_written, right_written)
    right, number = chain._add(node.right, node.join_type)
    chain._leaves[number][3].extend(_placed(node.condition, (left, right)))
    chain._attached_by[number] = id(node)
    return left if node.join_type is not JoinType.LEFT_OUTER else [*left, *right], (left_written, number)


def _placed(condition: ResolvedExpression | None, inputs: Sequence[Sequence[int]]) -> list[ResolvedExpression]:
    parts = conjuncts(condition) if condition is not None else ()
    return [moved(part, lambda reference: (0, inputs[reference.input_index][reference.field_index])) for part in parts]
