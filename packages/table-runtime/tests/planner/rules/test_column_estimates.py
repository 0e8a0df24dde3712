"""How ranges and distinct values of two columns give the rows of a join."""

from __future__ import annotations

import pytest

from table_runtime.planner.rules.column_estimates import ColumnEstimate, Estimate, joined_rows, matched_share


def column(rows: float, distinct: float, low: float, high: float, *, table_rows: float | None = None, nulls: float = 0.0) -> ColumnEstimate:
    return ColumnEstimate(distinct, distinct, table_rows or rows, (low, high), (low, high), nulls, is_integer=True)


SALES = Estimate(10_000, (column(10_000, 1_000, 5_001, 6_000), column(10_000, 2_000, 1, 2_000)))
DAYS = Estimate(20_000, (column(20_000, 20_000, 1, 20_000),))


def test_keys_of_a_wider_table_match_once() -> None:
    assert joined_rows(SALES, DAYS, [(0, 0)], 0) == pytest.approx(10_000)


def test_a_filtered_range_leaves_its_share() -> None:
    month = ColumnEstimate(30, 20_000, 20_000, (5_101, 5_130), (1, 20_000), is_integer=True)
    assert joined_rows(SALES, Estimate(30, (month,)), [(0, 0)], 0) == pytest.approx(300, rel=0.1)


def test_ranges_that_do_not_meet_give_almost_nothing() -> None:
    past = Estimate(100, (column(100, 100, 1, 100),))
    assert joined_rows(SALES, past, [(0, 0)], 0) < 10


def test_several_keys_are_as_many_as_the_rows_of_the_table() -> None:
    lines = Estimate(10_000, (column(10_000, 3_000, 1, 3_000), column(10_000, 2_000, 1, 2_000)))
    back = Estimate(1_000, (column(1_000, 1_000, 1, 3_000), column(1_000, 900, 1, 2_000)))
    assert joined_rows(lines, back, [(0, 0), (1, 1)], 0) == pytest.approx(1_000)


def test_null_matches_nothing() -> None:
    half = Estimate(10_000, (column(10_000, 1_000, 1, 1_000, nulls=0.5),))
    ids = Estimate(1_000, (column(1_000, 1_000, 1, 1_000),))
    assert joined_rows(half, ids, [(0, 0)], 0) == pytest.approx(5_000)


def test_a_semi_join_keeps_the_share_of_the_keys() -> None:
    ids = Estimate(1_000, (column(1_000, 1_000, 1, 1_000),))
    some = Estimate(100, (ColumnEstimate(100, 1_000, 1_000, (1, 1_000), (1, 1_000), is_integer=True),))
    assert matched_share(ids, some, [(0, 0)], 0) == pytest.approx(0.1)


def test_a_part_of_the_rows_has_fewer_values_unless_each_has_many_rows() -> None:
    few = Estimate(10_000, (column(10_000, 10, 1, 10), column(10_000, 10_000, 1, 10_000))).limited(1_000)
    assert few.distinct[0] == pytest.approx(10, rel=0.01)
    assert few.distinct[1] == pytest.approx(1_000, rel=0.01)
