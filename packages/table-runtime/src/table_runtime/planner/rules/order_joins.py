"""Join reordering: selective joins first, no cross products, and small inputs on the right, the build side of a join."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from table_api.operations import JoinQueryOperation, JoinType, ProjectQueryOperation, QueryOperation
from table_common.catalog import ObjectIdentifier
from table_common.connector.source import TableStats
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    conjunction,
    conjuncts,
    field_references,
    map_references,
)
from table_common.frozen_dataclass import dataclass
from table_common.tree import fold, map_children_of, preorder, reader_counts
from table_runtime.planner.rules.estimates import Estimate, estimate, joined_rows

__all__ = ["order_joins"]

BUILD_COST = 3.0
"""Cost of a row on the build side, relative to 1 for a row of the probe side."""
MOST_JOINS = 24
"""Longer chains keep their order: the search takes cubic time in the number of inputs."""
CLEARLY_BETTER = 0.8
"""A new order is used only if its cost is at most this fraction of the written order's, which is often intentional."""


def order_joins(root: QueryOperation, statistics: Callable[[ObjectIdentifier], TableStats], *, ask_sources: bool = True) -> QueryOperation:
    """Returns an equivalent plan whose chains of inner joins run in the order with the lowest estimated cost."""
    chains = _chains(root)
    if not chains:
        return root
    estimate_of = estimate(root, statistics, ask_sources=ask_sources)
    rewritten: dict[int, QueryOperation] = {}

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        result = node
        if any(new is not old for new, old in zip(children, node.children, strict=True)):
            replacements = iter(children)
            result = map_children_of(node, QueryOperation, lambda _: next(replacements))
        chain = chains.get(id(node))
        if chain is not None:
            leaves = tuple(rewritten[id(leaf)] for leaf in chain.leaves)
            result = _reordered(result, _Chain(leaves, chain.conditions), [estimate_of(leaf) for leaf in chain.leaves])
        rewritten[id(node)] = result
        return result

    return fold(root, QueryOperation, combine)


def _chains(root: QueryOperation) -> dict[int, _Chain]:
    """Returns the join chains of a plan by the identity of their topmost join."""
    nodes = preorder(root, QueryOperation)
    parent_counts = reader_counts(nodes, QueryOperation)
    chains: dict[int, _Chain] = {}
    chained: set[int] = set()
    for node in nodes:
        if not isinstance(node, JoinQueryOperation) or not _is_inner(node) or id(node) in chained:
            continue
        # A join with several parents is not part of a larger chain, since it runs once.
        joins = [node]
        for join in joins:
            joins += [c for c in join.children if isinstance(c, JoinQueryOperation) and _is_inner(c) and parent_counts[id(c)] == 1]
        chained.update(map(id, joins))
        if len(joins) < MOST_JOINS:
            chains[id(node)] = _collect(node, {id(join) for join in joins})
    return chains


def _is_inner(node: QueryOperation) -> bool:
    return isinstance(node, JoinQueryOperation) and node.join_type is JoinType.INNER


@dataclass(frozen=True, slots=True)
class _Chain:
    """Inputs of inner joins in written order, and the conditions over the concatenation of their columns."""

    leaves: tuple[QueryOperation, ...]
    conditions: tuple[ResolvedExpression, ...]


def _collect(top: QueryOperation, joins: set[int]) -> _Chain:
    """Collects the inputs and conditions of a chain."""
    leaves: list[QueryOperation] = []
    conditions: list[ResolvedExpression] = []

    def visit(part: QueryOperation, start: int) -> int:
        if not isinstance(part, JoinQueryOperation) or id(part) not in joins:
            leaves.append(part)
            return start + len(part.resolved_schema.columns)
        middle = visit(part.left, start)
        end = visit(part.right, middle)
        starts = (start, middle)
        if part.condition is not None:
            conditions.extend(_moved(c, lambda r: (0, starts[r.input_index] + r.field_index)) for c in conjuncts(part.condition))
        return end

    visit(top, 0)
    return _Chain(tuple(leaves), tuple(dict.fromkeys(conditions)))


def _moved(expression: ResolvedExpression, place: Callable[[FieldReferenceExpression], tuple[int, int]]) -> ResolvedExpression:
    def change(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        input_index, position = place(reference)
        return FieldReferenceExpression(reference.name, reference.output_type, input_index, position)

    return map_references(expression, change)


class _Conditions:
    """The inputs that each condition refers to, and the columns that it equates."""

    def __init__(self, chain: _Chain) -> None:
        self.starts = [0]
        for leaf in chain.leaves:
            self.starts.append(self.starts[-1] + len(leaf.resolved_schema.columns))
        self.owner = owner = [index for index, leaf in enumerate(chain.leaves) for _ in leaf.resolved_schema.columns]
        self.about: list[frozenset[int]] = []
        self.equal: list[tuple[int, int] | None] = []
        for condition in chain.conditions:
            used = [reference.field_index for reference in field_references(condition)]
            self.about.append(frozenset(owner[position] for position in used))
            is_equality = isinstance(condition, CallExpression) and condition.function.name in ("EQUALS", "IS_NOT_DISTINCT_FROM")
            direct = is_equality and all(isinstance(arg, FieldReferenceExpression) for arg in condition.children)
            self.equal.append((used[0], used[1]) if direct and len(used) == 2 and len(self.about[-1]) == 2 else None)


def _reordered(node: QueryOperation, chain: _Chain, estimates: Sequence[Estimate]) -> QueryOperation:
    conditions = _Conditions(chain)
    count = len(chain.leaves)
    written = tuple(range(count))
    current = _cost(written, conditions, estimates) if _is_left_deep(node, count) else math.inf
    best: tuple[float, tuple[int, ...]] = (current * CLEARLY_BETTER, ())
    for start in range(count):
        order = _greedy(start, conditions, estimates)
        cost = _cost(order, conditions, estimates)
        if cost < best[0]:
            best = (cost, order)
    if not best[1]:
        return node
    return _built(node, chain, conditions, best[1])


def _is_left_deep(node: QueryOperation, count: int) -> bool:
    depth = 1
    while isinstance(node, JoinQueryOperation) and _is_inner(node) and depth < count:
        node = node.left
        depth += 1
    return depth == count


class _Joined:
    """A partial join order with its estimated rows and cost."""

    def __init__(self, first: int, conditions: _Conditions, estimates: Sequence[Estimate]) -> None:
        self._conditions = conditions
        self._estimates = estimates
        self.members = {first}
        self.rows = estimates[first].rows

    def rows_with(self, leaf: int) -> tuple[float, bool]:
        """Returns the estimated rows after joining one more input, and whether an equality condition connects it."""
        right = self._estimates[leaf]
        members = self.members | {leaf}
        distinct: list[float] = []
        other_conditions = 0
        for about, equal in zip(self._conditions.about, self._conditions.equal, strict=True):
            if leaf not in about or not about <= members or len(about) == 1:
                continue
            if equal is None:
                other_conditions += 1
                continue
            distinct.append(max(self._distinct(position, leaf) for position in equal))
        keys = [(position, position) for position in range(len(distinct))]
        rows = joined_rows(Estimate(self.rows, tuple(distinct)), Estimate(right.rows, tuple(distinct)), keys, other_conditions)
        return rows, bool(distinct)

    def _distinct(self, position: int, leaf: int) -> float:
        owner = self._conditions.owner[position]
        values = self._estimates[owner].distinct[position - self._conditions.starts[owner]]
        return values if owner == leaf else min(values, max(1.0, self.rows))

    def add(self, leaf: int) -> None:
        """Adds one more input to the join order."""
        self.rows = self.rows_with(leaf)[0]
        self.members.add(leaf)


def _greedy(start: int, conditions: _Conditions, estimates: Sequence[Estimate]) -> tuple[int, ...]:
    joined = _Joined(start, conditions, estimates)
    order = [start]
    while len(order) < len(estimates):
        candidates = []
        for leaf in range(len(estimates)):
            if leaf not in joined.members:
                rows, is_connected = joined.rows_with(leaf)
                candidates.append((not is_connected, rows + BUILD_COST * estimates[leaf].rows, leaf))
        order.append(min(candidates)[2])
        joined.add(order[-1])
    return tuple(order)


def _cost(order: Sequence[int], conditions: _Conditions, estimates: Sequence[Estimate]) -> float:
    joined = _Joined(order[0], conditions, estimates)
    cost = joined.rows
    for leaf in order[1:]:
        before = joined.rows
        _, is_connected = joined.rows_with(leaf)
        joined.add(leaf)
        cost += BUILD_COST * estimates[leaf].rows + joined.rows
        if not is_connected:  # the condition is evaluated on each pair
            cost += before * estimates[leaf].rows
    return cost


def _built(node: QueryOperation, chain: _Chain, conditions: _Conditions, order: Sequence[int]) -> QueryOperation:
    """Returns the joins in the chosen order, below a projection that restores the column order."""
    new_position: dict[int, int] = {}

    def append(leaf: int) -> None:
        for column in range(conditions.starts[leaf], conditions.starts[leaf + 1]):
            new_position[column] = len(new_position)

    append(order[0])
    result = chain.leaves[order[0]]
    pending = list(range(len(chain.conditions)))
    members = {order[0]}
    for leaf in order[1:]:
        width = len(new_position)
        append(leaf)
        members.add(leaf)
        ready = [index for index in pending if conditions.about[index] <= members]
        pending = [index for index in pending if index not in ready]

        def sided(reference: FieldReferenceExpression, width: int = width) -> tuple[int, int]:
            position = new_position[reference.field_index]
            return (0, position) if position < width else (1, position - width)

        parts = [_moved(chain.conditions[index], sided) for index in ready]
        result = JoinQueryOperation(result, chain.leaves[leaf], JoinType.INNER, _and(parts))
    columns = node.resolved_schema.columns
    restored = tuple(FieldReferenceExpression(c.name, c.data_type, 0, new_position[i]) for i, c in enumerate(columns))
    return ProjectQueryOperation(restored, tuple(c.name for c in columns), result)


def _and(parts: Sequence[ResolvedExpression]) -> ResolvedExpression | None:
    return conjunction(parts) if parts else None
