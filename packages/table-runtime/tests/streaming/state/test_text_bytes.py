"""Tests for table_runtime.streaming.state.text_bytes."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from table_runtime.streaming.state.text_bytes import TextBytes, texts_of

LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 511, 512, 513, 2000]


def texts(*values: bytes) -> TextBytes:
    return texts_of(pa.array(values, pa.large_binary()))


@pytest.mark.parametrize("length", LENGTHS)
def test_texts_that_differ_in_one_byte_are_different(length: int) -> None:
    one = b"x" * length
    others = [
        one,
        one + b"\0",
        one[1:],
        *(one[:place] + b"y" + one[place + 1 :] for place in {0, length // 2, length - 1} if 0 <= place < length),
    ]
    found = texts(*[one] * len(others)).equal(texts(*others)).tolist()
    assert found == [other == one for other in others]
    assert len(set(texts(*others).hashes().tolist())) == len(set(others))


def test_what_stands_beside_a_text_does_not_count() -> None:
    chance = random.Random(4)
    values = [bytes(chance.choices(b"ab", k=chance.choice([3, 8, 11, 600]))) for _ in range(200)]
    together = texts(*values)
    assert together.hashes().tolist() == [texts(value).hashes().tolist()[0] for value in values]
    order = chance.sample(range(200), 200)
    shuffled = texts(*[values[place] for place in order])
    assert shuffled.hashes().tolist() == together.hashes()[order].tolist()
    assert together.equal(shuffled).tolist() == [value == values[place] for value, place in zip(values, order, strict=True)]


def test_slices_are_the_texts_that_they_hold() -> None:
    column = pa.array([b"first", b"", b"second, of two words", b"last"], pa.large_binary())
    assert texts_of(column.slice(1, 2)).hashes().tolist() == texts(b"", b"second, of two words").hashes().tolist()
    assert texts_of(column.slice(2, 0)).hashes().tolist() == []
