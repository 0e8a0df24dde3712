from __future__ import annotations

from table_common.types import parse_logical_type, types_in


def test_a_type_is_followed_by_the_types_inside_of_it() -> None:
    type_ = parse_logical_type("ROW<a ARRAY<TIME(3)>, m MAP<STRING, MULTISET<INT>>>")
    names = [inner.ROOT for inner in types_in(type_)]
    assert names == ["ROW", "ARRAY", "TIME", "MAP", "VARCHAR", "MULTISET", "INT"]
