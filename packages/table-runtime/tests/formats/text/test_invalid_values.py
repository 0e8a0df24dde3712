"""Texts that cannot be values are found by their bytes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_runtime.formats.text.invalid_values import texts_with_other_characters, wrong_moments


@pytest.mark.parametrize("start", [0, 1])
def test_texts_with_other_characters_are_found_in_a_slice(start: int) -> None:
    texts = pa.array(["x", "12", None, "-3.5", "1,5", "", "é", "x"]).slice(start, 7)
    found = texts_with_other_characters(texts, "-.")
    expected = [True, False, False, False, True, False, True, True][start : start + 7]
    assert found is not None
    assert found.to_pylist() == expected


def test_without_other_characters_there_is_no_mask() -> None:
    assert texts_with_other_characters(pa.array(["1", None, "", "-2"]), "-") is None
    assert texts_with_other_characters(pa.array([], pa.string()), "-") is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2020-02-31 23:59:59", False),  # a kernel refuses the day
        ("2020-02-29T00:00:00.123", False),
        ("0000-01-01 00:00:00", True),
        ("0001-00-01 00:00:00", True),
        ("0001-13-01 00:00:00", True),
        ("0001-01-00 00:00:00", True),
        ("0001-01-32 00:00:00", True),
        ("0001-01-01 24:00:00", True),
        ("0001-01-01 00:60:00", True),
        ("0001-01-01 00:00:60", True),
        ("0001/01-01 00:00:00", True),
        ("0001-01-01 00:00.00", True),
        ("x001-01-01 00:00:00", True),
        ("0001-01-01 00:00:0", True),
        ("", True),
    ],
)
def test_texts_that_are_no_moments_are_found(text: str, wrong: bool) -> None:
    texts = pa.array(["2020-01-01 00:00:00", text, None, "2020-01-01 00:00:00"])
    assert wrong_moments(texts, 19).to_pylist() == [False, wrong, False, False]
    assert wrong_moments(texts.slice(1, 1), 19).to_pylist() == [wrong]


def test_only_the_date_of_a_text_is_checked() -> None:
    assert wrong_moments(pa.array(["2020-01-01", "2020-13-01", "2020-01-1", "2020-01-01x"]), 10).to_pylist() == [False, True, True, False]
