"""Queries in expressions fail where SQL says so, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException, TableRuntimeException

PEOPLE = "(VALUES (1, 'a'), (2, 'a'), (3, 'b')) AS p(id, name)"


def test_more_than_one_row_is_an_error(query: Any) -> None:
    with pytest.raises(TableRuntimeException, match="more than one row"):
        query(f"SELECT (SELECT id FROM {PEOPLE}) AS x")


def test_more_than_one_row_for_an_outer_row_is_an_error(query: Any) -> None:
    with pytest.raises(TableRuntimeException, match="more than one row"):
        query(f"SELECT (SELECT id FROM {PEOPLE} WHERE p.name = o.name) AS x FROM (VALUES ('a')) AS o(name)")


def test_more_than_one_row_for_no_outer_row_is_none(query: Any) -> None:
    assert query(f"SELECT (SELECT id FROM {PEOPLE} WHERE p.name = o.name) AS x FROM (VALUES ('b')) AS o(name)") == [(3,)]


def test_a_function_says_itself_what_it_gives_over_nothing(query: Any) -> None:
    rows = query(f"SELECT (SELECT JSON_ARRAYAGG(id) FROM {PEOPLE} WHERE p.name = o.name) AS x FROM (VALUES ('b'), ('c')) AS o(name)")
    assert sorted(rows) == [("[3]",), ("[]",)]


def test_array_of_a_query(query: Any) -> None:
    assert query(f"SELECT ARRAY(SELECT id FROM {PEOPLE} WHERE id > 1) AS x") == [([2, 3],)]


def test_a_query_in_an_outer_join_over_both_sides_is_refused(query: Any) -> None:
    with pytest.raises(TableException, match="both sides"):
        query(
            f"SELECT a.id FROM {PEOPLE} LEFT JOIN (VALUES (1)) AS a(id) ON a.id = p.id AND EXISTS (SELECT 1 FROM {PEOPLE.replace('p(', 'q(')} "
            "WHERE q.id = p.id AND q.id = a.id)"
        )


def test_lateral_beside_lateral_inside_of_a_query(query: Any) -> None:
    rows = query(
        f"SELECT id, (SELECT MAX(y) FROM (VALUES (p.id)) AS v(x), LATERAL (SELECT v.x + p.id AS y) AS w) AS m FROM {PEOPLE} WHERE id < 3"
    )
    assert sorted(rows) == [(1, 2), (2, 4)]
