"""Estimated rows of each set of a chain's inputs, whatever the order in which they are joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.operations import JoinType
from table_common.expressions import CallExpression
from table_runtime.planner.rules.column_estimates import DEFAULT_SELECTIVITY, Estimate, bounded, equal_share, matched_share
from table_runtime.planner.rules.estimates import equal_columns, is_transitive
from table_runtime.planner.rules.join_chains import Condition, JoinChain

_FEWEST_UNMATCHED = 0.05


class JoinSizes:
    """The join graph of a chain: which inputs are connected by equal columns, and how many rows their joins have.

    Columns that are equal to the same column are equal to each other: they are of one *class*.
    """

    def __init__(self, chain: JoinChain, estimates: Sequence[Estimate]) -> None:
        self._chain = chain
        self._estimates = estimates
        self._rows: dict[int, float] = {}
        self.transitive, pairs = _classes(chain)
        self.classes = [*self.transitive, *pairs]
        count = len(chain.leaves)
        self.neighbors = [0] * count
        """Per input a bit set of the inputs that share an equivalence class with it."""
        keys: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for number, members in enumerate(self.classes):
            for first in members:
                for second in members:
                    one, other = chain.leaf_of(first), chain.leaf_of(second)
                    if one < other:
                        self.neighbors[one] |= 1 << other
                        self.neighbors[other] |= 1 << one
                        pair = (number, first - chain.leaves[one].start, second - chain.leaves[other].start)
                        keys.setdefault((one, other), []).append(pair)
        self._pairs = sorted(
            (equal_share(estimates[one], estimates[other], [key[1:] for key in found]), one, other, found)
            for (one, other), found in keys.items()
        )
        own = {position for members in self.classes for position in members}
        self._others: list[tuple[Condition, float]] = []
        for condition in chain.conditions:
            sides = equal_columns(condition.expression)
            if sides is not None and sides[0] in own and sides[1] in own:
                continue
            if condition.about & (condition.about - 1):
                self._others.append((condition, self._share_of(condition)))
        self._attached = {index: self._factor(index) for index, leaf in enumerate(chain.leaves) if leaf.join_type is not JoinType.INNER}

    def _share_of(self, condition: Condition) -> float:
        """Returns the selectivity of a condition that is no equality of columns."""
        expression = condition.expression
        if isinstance(expression, CallExpression) and expression.function.name == "EQUALS":
            rows = [self._estimates[index].rows for index in bits(condition.about)]
            return 1 / max(1.0, min(rows))
        return DEFAULT_SELECTIVITY

    def _factor(self, index: int) -> float:
        """Returns how many rows an attached input makes of each row that it is joined to."""
        leaf = self._chain.leaves[index]
        by_leaf: dict[int, list[tuple[int, int]]] = {}
        others = 0
        for condition in leaf.on:
            sides = equal_columns(condition.expression)
            if sides is None:
                others += 1
                continue
            outer, inner = sides if self._chain.leaf_of(sides[1]) == index else (sides[1], sides[0])
            owner = self._chain.leaf_of(outer)
            if owner == index or self._chain.leaf_of(inner) != index:
                others += 1
                continue
            by_leaf.setdefault(owner, []).append((outer - self._chain.leaves[owner].start, inner - leaf.start))
        estimates = self._estimates
        right = estimates[index]
        if leaf.join_type is JoinType.LEFT_OUTER:
            partners = right.rows * DEFAULT_SELECTIVITY**others
            for owner, keys in by_leaf.items():
                partners *= equal_share(estimates[owner], right, keys)
            return max(1.0, partners)
        shares = [matched_share(estimates[owner], right, keys, others) for owner, keys in by_leaf.items()]
        share = min(shares, default=0.5)
        return share if leaf.join_type is JoinType.SEMI else max(_FEWEST_UNMATCHED, 1 - share)

    def rows(self, members: int) -> float:
        """Returns the estimated rows of the join of these inputs, given as bits."""
        known = self._rows.get(members)
        if known is not None:
            return known
        rows = 1.0
        for index in bits(members):
            rows = rows * self._attached[index] if index in self._attached and members != 1 << index else rows * self._estimates[index].rows
        joined: list[dict[int, int]] = [{} for _ in self.classes]
        for share, one, other, keys in self._pairs:
            if not (members >> one & 1 and members >> other & 1):
                continue
            # A class may have several columns of one input; one of its equalities makes it equal.
            new = list({key[0]: key for key in keys if _root(joined[key[0]], one) != _root(joined[key[0]], other)}.values())
            if not new:
                continue
            if len(new) < len(keys):
                share = equal_share(self._estimates[one], self._estimates[other], [key[1:] for key in new])
            rows *= share
            for key in new:
                joined[key[0]][_root(joined[key[0]], one)] = _root(joined[key[0]], other)
        for condition, share in self._others:
            if condition.about & members == condition.about:
                rows *= share
        result = self._rows[members] = bounded(rows)
        return result


def _root(parents: dict[int, int], member: int) -> int:
    while (parent := parents.get(member)) is not None:
        member = parent
    return member


def bits(members: int) -> Iterable[int]:
    """Yields the positions of the bits that are set, from the lowest."""
    while members:
        low = members & -members
        yield low.bit_length() - 1
        members ^= low


def _classes(chain: JoinChain) -> tuple[list[list[int]], list[list[int]]]:
    """Returns the classes of columns that inner joins make equal, then the pairs of columns that they compare otherwise.

    Only equal values of one type are equal to the same values.
    """
    class_of: dict[int, list[int]] = {}
    pairs: list[list[int]] = []
    for condition in chain.conditions:
        sides = equal_columns(condition.expression)
        if sides is None or condition.about.bit_count() != 2:
            continue
        if not is_transitive(condition.expression):
            pairs.append(sorted(sides))
            continue
        one, other = (class_of.setdefault(position, [position]) for position in sides)
        if one is not other:
            one += other
            class_of.update(dict.fromkeys(other, one))
    return list({id(members): sorted(members) for members in class_of.values()}.values()), pairs
