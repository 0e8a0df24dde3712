"""Weeks in the patterns of TO_DATE: Flink's results."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from table_runtime.kernels.support.date_patterns import date_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("YYYY-ww", "2021-01", date(2020, 12, 27)),
        ("YYYY-ww", "2021-53", date(2021, 12, 26)),
        ("yyyy-ww", "2021-10", date(2021, 2, 28)),
        ("YYYY", "2021", date(2020, 12, 27)),
        ("ww", "10", date(1970, 3, 1)),
        ("YYYY-MM-dd", "2021-05-03", date(2021, 5, 3)),
    ],
)
def test_a_week_is_read_as_its_first_day(pattern: str, text: str, expected: date) -> None:
    found = date_pattern(pattern).read(text)
    assert found is not None
    assert date(1970, 1, 1) + timedelta(days=found[0]) == expected


def test_a_week_that_no_year_has_is_not_read() -> None:
    assert date_pattern("YYYY-ww").read("2021-60") is None
