"""The search finds the cheapest order: compared with all orders of small chains."""

from __future__ import annotations

import random
import sys
from itertools import combinations
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from join_plans import chain_of

from table_runtime.planner.rules import join_search
from table_runtime.planner.rules.column_estimates import ColumnEstimate, Estimate
from table_runtime.planner.rules.join_chains import JoinChain
from table_runtime.planner.rules.join_search import JoinTree, cheapest_tree
from table_runtime.planner.rules.join_sizes import JoinSizes

QUERIES = {
    "star": "SELECT f.a, p.x, q.x, r.x, s.x FROM f, p, q, r, s WHERE f.a = p.x AND f.b = q.x AND f.c = r.x AND f.d = s.x",
    "line": "SELECT f.a, p.x, q.x, r.x, s.x FROM f, p, q, r, s WHERE f.a = p.x AND p.y = q.x AND q.y = r.x AND r.y = s.x",
    "ring": "SELECT f.a, p.x, q.x, r.x, s.x FROM f, p, q, r, s WHERE f.a = p.x AND p.y = q.x AND q.y = r.x AND r.y = f.b AND f.c = s.x",
}
TABLES = {"f": "a, b, c, d", "p": "x, y", "q": "x, y", "r": "x, y", "s": "x, y"}


@pytest.fixture(scope="module")
def chains() -> dict[str, JoinChain]:
    return {name: chain_of(query, **TABLES) for name, query in QUERIES.items()}


def estimates_of(chain: JoinChain, seed: int) -> list[Estimate]:
    chosen = random.Random(seed)
    made = []
    for leaf in chain.leaves:
        rows = 10 ** chosen.uniform(0, 6)
        columns = [max(1.0, rows * chosen.random()) for _ in leaf.node.resolved_schema.columns]
        made.append(Estimate(rows, tuple(ColumnEstimate(count, count, rows) for count in columns)))
    return made


def best_of_all(chain: JoinChain, sizes: JoinSizes) -> float:
    """Returns the least cost of all orders without cross products, found by trying them."""
    search = join_search._Search(chain, sizes)
    best: dict[int, JoinTree] = {1 << index: search.leaf(index) for index in range(len(chain.leaves))}
    for size in range(2, len(chain.leaves) + 1):
        for members in combinations(range(len(chain.leaves)), size):
            whole = sum(1 << index for index in members)
            part = (whole - 1) & whole
            while part:
                one, other = best.get(part), best.get(whole ^ part)
                if one is not None and other is not None and search.can_join(part, whole ^ part):
                    tree = search.join(one, other)
                    if tree is not None and (whole not in best or tree.cost < best[whole].cost):
                        best[whole] = tree
                part = (part - 1) & whole
    return best[(1 << len(chain.leaves)) - 1].cost


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("seed", range(10))
def test_no_order_is_cheaper(chains: dict[str, JoinChain], name: str, seed: int) -> None:
    chain = chains[name]
    sizes = JoinSizes(chain, estimates_of(chain, seed))
    tree = cheapest_tree(chain, sizes)
    assert tree is not None
    assert tree.cost == pytest.approx(best_of_all(chain, sizes))


@pytest.mark.parametrize("name", QUERIES)
def test_a_chain_that_is_too_large_is_joined_greedily_without_cross_products(
    chains: dict[str, JoinChain], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join_search, "MOST_SEARCHED", 2)
    chain = chains[name]
    sizes = JoinSizes(chain, estimates_of(chain, 1))
    tree = cheapest_tree(chain, sizes)
    assert tree is not None
    assert tree.members == (1 << len(chain.leaves)) - 1
    search = join_search._Search(chain, sizes)
    stack = [tree]
    while stack:
        one = stack.pop()
        if one.left is not None and one.right is not None:
            assert search.is_connected(one.left.members, one.right.members)
            stack += [one.left, one.right]


def test_the_smaller_side_is_the_build_side(chains: dict[str, JoinChain]) -> None:
    chain = chains["star"]
    rows = [1e6, 10.0, 10.0, 10.0, 10.0]
    estimates = [
        Estimate(count, (ColumnEstimate(10.0, 10.0, count),) * len(leaf.node.resolved_schema.columns))
        for count, leaf in zip(rows, chain.leaves, strict=True)
    ]
    tree = cheapest_tree(chain, JoinSizes(chain, estimates))
    while tree is not None and tree.left is not None and tree.right is not None:
        assert tree.right.rows <= tree.left.rows
        tree = tree.left
