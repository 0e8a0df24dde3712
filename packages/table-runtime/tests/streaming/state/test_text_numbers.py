"""Tests for table_runtime.streaming.state.text_numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.state.text_bytes import TextBytes
from table_runtime.streaming.state.text_numbers import TextNumbers

TEXTS = ["", "a", "a\0", "é", "12345678", "123456789", "x" * 511, "x" * 512, "x" * 513, "x" * 512 + "y", "𝄞" * 300]
COLUMNS = [
    pa.array(TEXTS),
    pa.array(TEXTS, pa.large_string()),
    pa.array([text.encode() for text in TEXTS]),
    pa.array([b"abcd", b"\0\0\0\0", b"abce"], pa.binary(4)),
]


@pytest.fixture(params=["hashed", "equal hashes"])
def with_hashes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "equal hashes":
        monkeypatch.setattr(TextBytes, "hashes", lambda self: np.zeros(len(self.lengths), np.uint64))


@pytest.mark.usefixtures("with_hashes")
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type))
def test_each_value_has_its_number_and_is_read_back(column: pa.Array) -> None:
    numbers = TextNumbers(column.type)
    first = numbers.numbers(column)
    assert len(set(first.tolist())) == len(column)
    assert numbers.numbers(column.slice(1)).tolist() == first[1:].tolist()
    assert numbers.numbers(pa.concat_arrays([column, column]))[len(column) :].tolist() == first.tolist()
    assert len(numbers.hashes(first)) == len(first)
    is_null = np.arange(len(first)) == 1
    expected = [None if row == 1 else value for row, value in enumerate(column.to_pylist())]
    assert numbers.values(pa.array(first, mask=is_null)).equals(pa.array(expected, column.type))


@pytest.mark.usefixtures("with_hashes")
def test_numbers_are_those_of_a_dictionary() -> None:
    chance = random.Random(2)
    numbers = TextNumbers(pa.string())
    known: dict[Any, int] = {}
    for _ in range(5):
        texts = ["".join(chance.choices("ab", k=chance.randrange(20))) for _ in range(300)]
        found = numbers.numbers(pa.array(texts)).tolist()
        assert [known.setdefault(text, number) for text, number in zip(texts, found, strict=True)] == found
    assert len(set(known.values())) == len(known)
    values = numbers.values(pa.array(list(known.values()), pa.int64()))
    assert values.to_pylist() == list(known)


def test_hashes_depend_on_the_value_alone() -> None:
    one, other = TextNumbers(pa.string()), TextNumbers(pa.string())
    column = pa.array(TEXTS)
    first, second = one.numbers(column), other.numbers(pa.concat_arrays([pa.array(["before"]), column]))[1:]
    assert one.hashes(first).tolist() == other.hashes(second).tolist()
    assert len(set(one.hashes(first).tolist())) == len(TEXTS)


def test_no_values_have_no_numbers() -> None:
    numbers = TextNumbers(pa.string())
    assert numbers.numbers(pa.array([], pa.string())).tolist() == []
    assert numbers.values(pa.array([None], pa.int64())).equals(pa.array([None], pa.string()))
    assert numbers.hashes(np.zeros(1, np.int64)).tolist() == [0]


@pytest.mark.usefixtures("with_hashes")
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type))
def test_values_that_repeat_have_the_numbers_of_the_first_ones(column: pa.Array) -> None:
    chance = np.random.default_rng(3)
    repeated, one_by_one = TextNumbers(column.type), TextNumbers(column.type)
    for rows in (1300, 600, 40):
        values = column.take(pa.array(chance.integers(0, len(column), rows)))
        expected = [number for row in range(rows) for number in one_by_one.numbers(values.slice(row, 1)).tolist()]
        assert repeated.numbers(values).tolist() == expected
    assert repeated.values(pa.array(expected)).equals(values)
