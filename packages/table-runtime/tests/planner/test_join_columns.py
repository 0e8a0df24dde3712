"""Joins that make only the columns that are used above them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment

LEFT = "(VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')) AS l (k, v, s)"
RIGHT = "(VALUES (2, 200, 'x'), (2, 201, 'y'), (4, 400, 'z')) AS r (k, w, t)"


@pytest.fixture(scope="module")
def environment() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        yield environment


def rows(environment: TableEnvironment, sql: str) -> list[tuple[object, ...]]:
    with environment.execute_sql(sql).collect() as found:
        return sorted((tuple(row) for row in found), key=repr)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("JOIN", [("x", "b"), ("y", "b")]),
        ("LEFT JOIN", [("x", "b"), ("y", "b"), (None, "a"), (None, "c")]),
        ("RIGHT JOIN", [("x", "b"), ("y", "b"), ("z", None)]),
        ("FULL JOIN", [("x", "b"), ("y", "b"), ("z", None), (None, "a"), (None, "c")]),
    ],
)
@pytest.mark.parametrize("condition", ["l.k = r.k", "l.k >= r.k AND l.k <= r.k", "l.k = r.k AND l.v < r.w"])
def test_a_join_gives_the_columns_that_are_selected_in_their_order(
    environment: TableEnvironment, kind: str, expected: list[tuple[object, ...]], condition: str
) -> None:
    assert rows(environment, f"SELECT t, s FROM {LEFT} {kind} {RIGHT} ON {condition}") == expected


@pytest.mark.parametrize("word", ["", "NOT "])
def test_a_semi_or_anti_join_gives_the_columns_that_are_selected(environment: TableEnvironment, word: str) -> None:
    found = rows(environment, f"SELECT s FROM {LEFT} WHERE {word}EXISTS (SELECT 1 FROM {RIGHT} WHERE l.k = r.k)")
    assert found == ([("a",), ("c",)] if word else [("b",)])


def test_a_join_gives_columns_of_one_side_alone(environment: TableEnvironment) -> None:
    assert rows(environment, f"SELECT t FROM {LEFT} JOIN {RIGHT} ON l.k = r.k") == [("x",), ("y",)]


def test_a_column_may_be_selected_twice(environment: TableEnvironment) -> None:
    assert rows(environment, f"SELECT t, s, t AS again FROM {LEFT} JOIN {RIGHT} ON l.k = r.k") == [("x", "b", "x"), ("y", "b", "y")]


def test_keys_that_only_a_join_reads_do_not_leave_it(environment: TableEnvironment) -> None:
    third = "(VALUES (10, 'm')) AS m (v, u)"
    plan = environment.explain_sql(f"SELECT SUM(w) FROM {LEFT} JOIN {RIGHT} ON l.k = r.k JOIN {third} ON l.v = m.v")
    assert "Project(select=[w])" in plan[plan.index("Physical") :]
