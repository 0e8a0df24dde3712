"""Parts of types that are NOT NULL."""

from __future__ import annotations

import pytest

from table_common.types import parse_logical_type, required_parts

NESTED = "ROW<a INT NOT NULL, l ARRAY<ROW<b INT NOT NULL> NOT NULL>, m MAP<INT NOT NULL, INT NOT NULL>> NOT NULL"


@pytest.mark.parametrize(
    ("of_collections", "paths"),
    [(False, ["r.a"]), (True, ["r.a", "r.l[element]", "r.l[element].b", "r.m[key]", "r.m[value]"])],
)
def test_required_parts(of_collections: bool, paths: list[str]) -> None:
    assert [part.path for part in required_parts(parse_logical_type(NESTED), "r", of_collections=of_collections)] == paths


def test_a_violation_names_the_part_and_the_table() -> None:
    (part,) = required_parts(parse_logical_type("MULTISET<INT NOT NULL>"), "s")
    assert part.violation("table t") == "'s[element]' of table t is declared NOT NULL, but a row has NULL there."
