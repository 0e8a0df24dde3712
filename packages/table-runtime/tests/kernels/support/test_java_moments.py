"""Dates and timestamps as Java reads them; the results are those of Java 17."""

from __future__ import annotations

import pytest

from table_runtime.kernels.support.java_moments import read_java_moment

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-02", (1, 0)),
        ("1970-1-2", (1, 0)),
        (" \t1970-1-2 ", (1, 0)),
        ("1970-1-2 1:2:3", (1, 3723 * SECOND)),
        ("1970-01-01 00:00:00.5", (0, SECOND // 2)),
        ("1970-01-01 00:00:00.123456789", (0, 123_456_789)),
        ("1970-02-31", (61, 0)),
        ("1970-01-01 24:00:00", (1, 0)),
        ("1970-01-01 25:61:61", (1, 7321 * SECOND)),
        ("1970-01-01 -1:00:00", (-1, 82_800 * SECOND)),
    ],
)
def test_parts_may_be_short_and_their_surplus_is_carried_over(text: str, moment: tuple[int, int]) -> None:
    assert read_java_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        *["", "x", "70-01-01", "10000-01-01", "1970-13-01", "1970-01-32", "1970-00-01", "1970-01-00", "0000-01-01"],
        *["1970-01-01 00:00", "1970-01-01 0:0:0.", "1970-01-01 0:0:0.1234567890", "1970-01-01T00:00:00", "1970-01-01  0:0:0"],
        *["1970-01-01 0:0:0 x", "1970-01-01\u00a0", "١٩٧٠-01-01"],
    ],
)
def test_other_texts_are_not_read(text: str) -> None:
    assert read_java_moment(text) is None
