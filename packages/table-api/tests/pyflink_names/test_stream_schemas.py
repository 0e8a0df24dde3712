from __future__ import annotations

import pytest

from table_api import Schema
from table_api.pyflink_names.stream_schemas import changes_of_upserts, with_times_computed
from table_common.data import Row, RowKind
from table_common.exceptions import ValidationException


def changes(*upserts: Row) -> list[tuple[str, tuple[object, ...]]]:
    return [(row.get_row_kind().short_string, tuple(row)) for row in changes_of_upserts(upserts, [0])]


def upsert(kind: RowKind, *values: object) -> Row:
    return Row.of_kind(kind, *values)


def test_the_second_row_of_a_key_is_an_update_with_both_images() -> None:
    assert changes(upsert(RowKind.INSERT, 1, "a"), upsert(RowKind.UPDATE_AFTER, 1, "b")) == [
        ("+I", (1, "a")),
        ("-U", (1, "a")),
        ("+U", (1, "b")),
    ]


def test_the_first_update_of_a_key_is_an_insertion() -> None:
    assert changes(upsert(RowKind.UPDATE_AFTER, 1, "a")) == [("+I", (1, "a"))]


def test_a_deletion_has_the_whole_row_and_is_left_out_where_there_is_none() -> None:
    found = changes(upsert(RowKind.INSERT, 1, "a"), upsert(RowKind.DELETE, 1, None), upsert(RowKind.DELETE, 1, None))
    assert found == [("+I", (1, "a")), ("-D", (1, "a"))]


def test_an_equal_row_is_no_change() -> None:
    assert changes(upsert(RowKind.INSERT, 1, ["a"]), upsert(RowKind.UPDATE_AFTER, 1, ["a"])) == [("+I", (1, ["a"]))]


def test_the_times_are_a_cast_of_the_column_of_the_stream() -> None:
    schema = Schema.new_builder().column_by_metadata("at", "TIMESTAMP_LTZ(3)", "rowtime").build()
    (column,) = with_times_computed(schema, "ts").columns
    assert (column.name, str(column.expression)) == ("at", "CAST(ts, TIMESTAMP_LTZ(3))")


def test_times_are_timestamps() -> None:
    schema = Schema.new_builder().column_by_metadata("rowtime", "STRING").build()
    with pytest.raises(ValidationException, match=r"'rowtime' is STRING, but the times of a stream are TIMESTAMP_LTZ\(3\)"):
        with_times_computed(schema, "ts")
