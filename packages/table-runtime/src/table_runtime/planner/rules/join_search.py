"""The search for the cheapest join order of a chain: dynamic programming over connected sets of inputs, greedy for large chains.

Bushy plans are included. An attached input (see ``join_chains``) is the right side of its join; of inner joins the smaller side is the build
side, the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import JoinType
from table_common.frozen_dataclass import dataclass
from table_runtime.planner.rules.join_chains import JoinChain
from table_runtime.planner.rules.join_sizes import JoinSizes, bits

BUILD_COST = 3.0
"""Cost of a row on the build side, relative to 1 for a row of the probe side."""
MOST_SEARCHED = 12
"""Chains of more inputs are joined greedily."""
MOST_PAIRS = 3000
"""Pairs of sets that the search looks at; with more, the chain is joined greedily."""


@dataclass(frozen=True, slots=True)
class JoinTree:
    """A join order: an input, or two trees with their join's kind."""

    members: int
    cost: float
    rows: float
    leaf: int = -1
    left: JoinTree | None = None
    right: JoinTree | None = None
    join_type: JoinType = JoinType.INNER


class _Search:
    def __init__(self, chain: JoinChain, sizes: JoinSizes) -> None:
        self.chain = chain
        self.sizes = sizes
        self.attached = {1 << index: leaf for index, leaf in enumerate(chain.leaves) if leaf.join_type is not JoinType.INNER}
        self.neighbors = list(sizes.neighbors)
        for bit, leaf in self.attached.items():
            for other in bits(leaf.required):
                self.neighbors[other] |= bit
                self.neighbors[bit.bit_length() - 1] |= leaf.required

    def leaf(self, index: int) -> JoinTree:
        return JoinTree(1 << index, 0.0, self.sizes.rows(1 << index), leaf=index)

    def join(self, one: JoinTree, other: JoinTree, *, written: bool = False) -> JoinTree | None:
        """Returns the join of two trees, None if it is not allowed; with ``written`` the right side stays right."""
        if one.members in self.attached:
            if written:
                return None
            one, other = other, one
        if one.members in self.attached:
            return None
        leaf = self.attached.get(other.members)
        if leaf is None and not written and other.rows > one.rows:
            one, other = other, one
        if leaf is not None and leaf.required & ~one.members:
            return None
        members = one.members | other.members
        rows = self.sizes.rows(members)
        # The rows of a join are counted where it gives them, those of an input where they are read.
        cost = one.cost + other.cost + BUILD_COST * other.rows + rows + (one.rows if one.leaf >= 0 else 0.0)
        if leaf is None and not self.is_connected(one.members, other.members):
            cost += one.rows * other.rows  # the condition is evaluated on each pair
        return JoinTree(members, cost, rows, -1, one, other, JoinType.INNER if leaf is None else leaf.join_type)

    def is_connected(self, one: int, other: int) -> bool:
        """Returns whether columns of two sets are equated by inner joins."""
        return any(self.sizes.neighbors[index] & other for index in bits(one))

    def around(self, members: int) -> int:
        """Returns the inputs that are connected to a set."""
        found = 0
        for index in bits(members):
            found |= self.neighbors[index]
        return found & ~members

    def can_join(self, one: int, other: int) -> bool:
        if one in self.attached or other in self.attached:
            return True  # ``join`` verifies what it needs
        return self.is_connected(one, other)


def written_tree(chain: JoinChain, sizes: JoinSizes) -> JoinTree | None:
    """Returns the order in which the chain is written."""
    search = _Search(chain, sizes)

    def build(order: object) -> JoinTree | None:
        if isinstance(order, int):
            return search.leaf(order)
        assert isinstance(order, tuple)
        left, right = build(order[0]), build(order[1])
        return search.join(left, right, written=True) if left is not None and right is not None else None

    return build(chain.written)


def cheapest_tree(chain: JoinChain, sizes: JoinSizes) -> JoinTree | None:
    """Returns the order with the lowest estimated cost of those that were looked at."""
    search = _Search(chain, sizes)
    count = len(chain.leaves)
    if count <= MOST_SEARCHED:
        trees = _searched(search, count)
        if trees is not None:
            return _greedy(search, trees)
    return _greedy(search, [search.leaf(index) for index in range(count)])


def _searched(search: _Search, count: int) -> list[JoinTree] | None:
    """Returns the best tree of each connected part of the graph; None if there are too many pairs."""
    pairs: list[tuple[int, int]] = []
    for pair in _connected_pairs(search, count):
        pairs.append(pair)
        if len(pairs) > MOST_PAIRS:
            return None
    pairs.sort(key=lambda pair: (pair[0] | pair[1]).bit_count())
    best = {1 << index: search.leaf(index) for index in range(count)}
    for one, other in pairs:
        left, right = best.get(one), best.get(other)
        if left is None or right is None or not search.can_join(one, other):
            continue
        tree = search.join(left, right)
        if tree is not None and (tree.members not in best or tree.cost < best[tree.members].cost):
            best[tree.members] = tree
    whole = []
    rest = (1 << count) - 1
    while rest:
        part = rest & -rest
        while grown := search.around(part) & rest:
            part |= grown
        if part not in best:
            return None
        whole.append(best[part])
        rest &= ~part
    return whole


def _connected_pairs(search: _Search, count: int) -> Iterator[tuple[int, int]]:
    """Yields each pair of disjoint connected sets between which there is a connection, once."""
    for start in range(count - 1, -1, -1):
        below = (1 << (start + 1)) - 1
        first = 1 << start
        yield from _with_complements(search, first)
        for connected in _grown(search, first, below):
            yield from _with_complements(search, connected)


def _grown(search: _Search, members: int, excluded: int) -> Iterator[int]:
    """Yields the connected sets that contain ``members`` and none of ``excluded``."""
    around = search.around(members) & ~excluded
    subset = around
    subsets = []
    while subset:
        subsets.append(subset)
        subset = (subset - 1) & around
    subsets.reverse()
    for part in subsets:
        yield members | part
    for part in subsets:
        yield from _grown(search, members | part, excluded | around)


def _with_complements(search: _Search, one: int) -> Iterator[tuple[int, int]]:
    lowest = one & -one
    excluded = ((lowest << 1) - 1) | one
    around = search.around(one) & ~excluded
    for index in sorted(bits(around), reverse=True):
        start = 1 << index
        yield one, start
        for other in _grown(search, start, excluded | (around & ((start << 1) - 1))):
            yield one, other


def _greedy(search: _Search, trees: Sequence[JoinTree]) -> JoinTree | None:
    """Joins the two trees whose join is cheapest until one is left."""
    rest = list(trees)
    while len(rest) > 1:
        best: tuple[bool, float, int, int, JoinTree] | None = None
        for number, one in enumerate(rest):
            for other_number in range(number + 1, len(rest)):
                other = rest[other_number]
                tree = search.join(one, other)
                if tree is None:
                    continue
                rank = (not search.can_join(one.members, other.members), tree.cost - one.cost - other.cost, number, other_number, tree)
                if best is None or rank[:2] < best[:2]:
                    best = rank
        if best is None:
            return None
        _, _, number, other_number, tree = best
        rest = [one for index, one in enumerate(rest) if index not in (number, other_number)]
        rest.append(tree)
    return rest[0]
