"""Rows to messages, without a broker."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from connector_kafka.encoding import RecordEncoding, last_of_each_key
from table_common.annotation import override
from table_common.connector import MessageEncoder, RowKind, SupportsArrowArray


class Texts(MessageEncoder):
    """Joins the values of a row; refuses NULL."""

    @override
    def encode(self, rows: SupportsArrowArray) -> pa.Array:
        batch: Any = rows
        return pa.array([" ".join(f"{name}={row[name]}" for name in row if row[name] is not None).encode() for row in batch.to_pylist()])


ROWS = pa.RecordBatch.from_pydict({"k_id": [1, 2, 3], "name": ["a", None, "c"]})


def encoding(**more: Any) -> RecordEncoding:
    return RecordEncoding(Texts(), (0, 1), Texts(), (0,), ("id",), 2, **more)


def test_key_and_value_have_their_columns() -> None:
    found = encoding().encode(ROWS, None)
    assert found.keys is not None
    assert found.keys.to_pylist() == [b"id=1", b"id=2", b"id=3"]
    assert found.values.to_pylist() == [b"k_id=1 name=a", b"k_id=2", b"k_id=3 name=c"]


def test_deletions_of_keys_have_no_value() -> None:
    kinds = pa.array([RowKind.DELETE.value, RowKind.UPDATE_AFTER.value, RowKind.DELETE.value], pa.int8())
    assert encoding(is_upsert=True).encode(ROWS, kinds).values.to_pylist() == [None, b"k_id=2", None]
    assert encoding(is_upsert=True).encode(ROWS, pa.array([3, 3, 3], pa.int8())).values.to_pylist() == [None] * 3


def test_formats_of_changes_get_the_row_kinds() -> None:
    kinds = pa.array([0, 3, 0], pa.int8())
    assert encoding().encode(ROWS, kinds).values.to_pylist()[1] == b"k_id=2 $row_kind=3"


def test_metadata_becomes_headers_and_times() -> None:
    times = pa.array([5_999, None, -1_500], pa.timestamp("us", "UTC"))
    headers = pa.array([[("a", b"1")], None, []], pa.map_(pa.string(), pa.binary()))
    rows = pa.RecordBatch.from_arrays([*ROWS.columns, headers, times], names=["k_id", "name", "headers", "timestamp"])
    found = encoding(metadata=("headers", "timestamp")).encode(rows, None)
    assert found.timestamps.to_pylist() == [5, None, -1]
    assert found.headers.to_pylist() == [[("a", b"1")], None, []]


def test_only_the_last_message_of_a_key_is_kept() -> None:
    assert last_of_each_key([b"a", b"b", b"a", b"c"]).to_pylist() == [1, 2, 3]
