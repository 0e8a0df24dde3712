"""Tests for table_api.table_result.closeable_iterator."""

from __future__ import annotations

import pytest

from table_api import CloseableIterator


def test_rows_are_read_one_by_one() -> None:
    rows = CloseableIterator(iter([1, 2]))
    assert (rows.next(), next(rows)) == (1, 2)
    with pytest.raises(StopIteration):
        rows.next()


def test_closing_releases_the_resources_once_and_ends_the_rows() -> None:
    closed = []
    with CloseableIterator(iter([1, 2]), lambda: closed.append(True)) as rows:
        assert rows.next() == 1
    rows.close()
    assert closed == [True]
    assert list(rows) == []
