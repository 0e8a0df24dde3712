"""Tests for table_api.table_result.preview."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.table_result.preview import preview_of
from table_common.catalog import ResolvedSchema
from table_common.data import Row, RowKind
from table_common.exceptions import JobTimeoutException
from table_common.types import IntType

SCHEMA = ResolvedSchema.physical([("a", IntType())])


class Changes:
    """A result of these changes, which then may exceed its time limit."""

    def __init__(self, *changes: tuple[RowKind, int], times_out: bool = False) -> None:
        self._changes = changes
        self._times_out = times_out

    def get_resolved_schema(self) -> ResolvedSchema:
        return SCHEMA

    def collect(self) -> Any:
        return self

    def __enter__(self) -> Iterator[Row]:
        for kind, value in self._changes:
            yield Row.of_kind(kind, value)
        if self._times_out:
            raise JobTimeoutException("too late")

    def __exit__(self, *_: object) -> None:
        return None


def rows(result: Any, count: int) -> list[int]:
    return [row[0] for row in preview_of(result, count).rows]


def test_rows_after_all_changes_are_shown() -> None:
    changes = Changes(
        (RowKind.INSERT, 1),
        (RowKind.INSERT, 2),
        (RowKind.UPDATE_BEFORE, 1),
        (RowKind.UPDATE_AFTER, 3),
        (RowKind.DELETE, 2),
        (RowKind.DELETE, 9),
    )
    assert rows(changes, 10) == [3]


def test_more_rows_than_wanted_are_said() -> None:
    changes = Changes(*((RowKind.INSERT, value) for value in range(4)))
    assert rows(changes, 3) == [0, 1, 2]
    assert preview_of(changes, 3).has_more  # type: ignore[arg-type]  # a result in all that is used
    assert not preview_of(changes, 4).has_more  # type: ignore[arg-type]


def test_the_rows_before_a_time_limit_are_shown() -> None:
    preview = preview_of(Changes((RowKind.INSERT, 1), times_out=True), 3)  # type: ignore[arg-type]
    assert preview.is_timed_out
    assert [row[0] for row in preview.rows] == [1]
