"""Where the quotes of texts are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.json_documents.lines import examined_lines, have, positions_of, texts_between


@pytest.mark.parametrize("type_", [pa.string(), pa.binary()])
def test_quotes_of_a_slice(type_: pa.DataType) -> None:
    texts = pa.array(['"', '"a"', "", None, '"é""', 'x\\"', "\t", '"""'], type_).slice(1, 6)
    lines = examined_lines(texts)
    assert lines.counts.tolist() == [2, 0, 0, 3, 1, 0]
    assert lines.plain.tolist() == [True, False, False, True, False, False]
    assert [int(lines.quotes[lines.first_quote[row]] - lines.starts[row]) for row in (0, 3, 4)] == [0, 0, 2]


def test_no_texts_and_texts_of_no_bytes() -> None:
    assert examined_lines(pa.array([], pa.string())).plain.tolist() == []
    assert examined_lines(pa.array(["", None], pa.string())).plain.tolist() == [False, False]


def test_quotes_beyond_the_first_block() -> None:
    lines = examined_lines(pa.array(["x" * 70_000 + '"', '"']))
    assert (lines.quotes.tolist(), lines.first_quote.tolist()) == ([70_000, 70_001], [0, 1])


def test_literals_at_positions_also_beyond_the_data() -> None:
    data = np.frombuffer(b"abcab", np.uint8)
    assert have(data, np.array([0, 1, 3, 4, 9, -1], np.int32), b"ab").tolist() == [True, False, True, False, False, False]
    assert have(data, np.array([0], np.int32), b"abcabc").tolist() == [False]


def test_texts_between_positions() -> None:
    starts, ends = np.array([0, 2, 4], np.int32), np.array([2, 2, 5], np.int32)
    assert texts_between(pa.py_buffer(b"abcde"), starts, ends).to_pylist() == ["ab", "", "e"]


def test_positions_of_a_mask() -> None:
    assert positions_of(np.array([True, False, True]), 5).tolist() == [5, 7]
