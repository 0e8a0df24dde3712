"""The share of rows that predicates keep, with and without a sample of the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import ExplainDetail, TableEnvironment
from table_runtime.connectors import filesystem

Estimated = Callable[[str], float]
ROWS = 1_000


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("name LIKE '%7'", 100),
        ("name = 'name 7' AND id < 500", 10),
        ("id * 2 > 1900", 49),
        ("v IS NULL", 250),
        ("CHAR_LENGTH(name) = 6 OR id = 999", 201),
    ],
)
def test_rows_of_a_small_table_are_counted(estimated: Estimated, condition: str, rows: int) -> None:
    assert estimated(condition) == rows


@pytest.mark.parametrize(
    ("condition", "low", "high"),
    [
        ("id BETWEEN 100 AND 299", 190, 210),
        ("id < 100", 90, 110),
        ("100 > id", 90, 110),
        ("id = 5", 0.4, 2.5),
        ("v IS NULL", 240, 260),
        ("id IN (1, 2, 3)", 2, 4),
        ("id >= 5000", 1, 2.5),
    ],
)
def test_without_a_sample_statistics_count(estimated: Estimated, condition: str, low: float, high: float) -> None:
    # RAND() may not be evaluated while planning, and so the condition as a whole is not.
    assert low <= estimated(f"{condition} AND RAND() <= 1") / 0.4 <= high


def test_a_condition_that_fails_on_a_row_is_planned(estimated: Estimated) -> None:
    assert 1 <= estimated("1 / (id - 5) > 0") <= ROWS


def test_the_files_of_a_scan_are_listed_once_per_plan(sampled_env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = []
    visible_files = filesystem.visible_files
    monkeypatch.setattr(filesystem, "visible_files", lambda path: listed.append(1) or visible_files(path))
    for count in (1, 2):
        sampled_env.sql_query("SELECT id FROM t WHERE v > 5").explain(ExplainDetail.ESTIMATED_COST)
        assert len(listed) == count
