"""Durations as option values."""

from __future__ import annotations

from datetime import timedelta

import pytest

from table_common.configuration import parse_duration


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", timedelta(0)),
        ("1500", timedelta(milliseconds=1500)),
        ("1 D", timedelta(days=1)),
        ("90 min", timedelta(minutes=90)),
        ("PT1H", timedelta(hours=1)),
    ],
)
def test_a_duration_is_a_number_with_a_unit_or_an_iso_duration(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["", "soon", "-1d", "-PT1H", "1.5 h", "1 d 3 h", "9999999999 d", "9" * 400 + " ns", "P9999999999D"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number with a unit|longer than"):
        parse_duration(text)
