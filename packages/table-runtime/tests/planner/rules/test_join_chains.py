from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from join_plans import chain_of

from table_api.operations import JoinType

TABLES = {"a": "x, y", "b": "x, y", "c": "x, y"}


def test_inner_joins_are_one_chain() -> None:
    chain = chain_of("SELECT a.y, b.y, c.y FROM a, b, c WHERE a.x = b.x AND b.y = c.y", **TABLES)
    assert [leaf.join_type for leaf in chain.leaves] == [JoinType.INNER] * 3
    assert [condition.about for condition in chain.conditions] == [0b011, 0b110]


def test_semi_and_anti_joins_are_attached_to_what_they_filter() -> None:
    chain = chain_of(
        "SELECT a.y FROM a JOIN b ON a.x = b.x WHERE a.y IN (SELECT y FROM c) AND NOT EXISTS (SELECT 1 FROM c WHERE c.x = b.y)", **TABLES
    )
    attached = {leaf.join_type: leaf.required for leaf in chain.leaves if leaf.join_type is not JoinType.INNER}
    assert attached.keys() == {JoinType.SEMI, JoinType.ANTI}
    assert all(required.bit_count() == 1 for required in attached.values())


def test_an_outer_join_is_attached() -> None:
    chain = chain_of("SELECT a.y, b.y, c.y FROM a LEFT JOIN b ON a.x = b.x JOIN c ON a.y = c.y", **TABLES)
    assert [leaf.join_type for leaf in chain.leaves] == [JoinType.INNER, JoinType.LEFT_OUTER, JoinType.INNER]
    assert chain.leaves[1].required == 0b001


def test_an_outer_join_whose_columns_an_inner_join_reads_is_one_input() -> None:
    chain = chain_of("SELECT a.y, c.y FROM a LEFT JOIN b ON a.x = b.x JOIN c ON COALESCE(b.y, 0) = c.y", **TABLES)
    assert [leaf.join_type for leaf in chain.leaves] in ([JoinType.INNER] * 2, [JoinType.INNER, JoinType.LEFT_OUTER])
    assert len(chain.leaves) == 2


def test_columns_are_found_by_their_place_in_the_chain() -> None:
    chain = chain_of("SELECT a.x, a.y, b.y, c.y FROM a, b, c WHERE a.x = b.x AND a.x = c.x", **TABLES)
    assert [chain.leaf_of(leaf.start) for leaf in chain.leaves] == [0, 1, 2]
