from __future__ import annotations

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type

ROW_TYPE = RowType.of([("id", parse_logical_type("INT")), ("name", parse_logical_type("STRING"))], nullable=False)


def decode(format_: str, messages: list[Any], metadata: tuple[str, ...] = (), **options: str) -> list[tuple[Any, ...]]:
    """Returns (row kind, columns…, metadata…) of each change."""
    factory: Any = FormatFactory.discover(format_)
    decoding = factory.create_decoding_format(ReadableConfig({key.replace("_", "-"): value for key, value in options.items()}))
    decoding.apply_readable_metadata(metadata)
    decoder = pickle.loads(pickle.dumps(decoding.create_runtime_decoder(ROW_TYPE)))
    texts = [m if m is None else m.encode() if isinstance(m, str) else json.dumps(m).encode() for m in messages]
    batch = pa.record_batch(decoder.decode(pa.array(texts, type=pa.binary())).rows)
    kinds = [RowKind(code).short_string for code in batch.columns[-1].to_pylist()]
    return list(zip(kinds, *(column.to_pylist() for column in batch.columns[:-1]), strict=True))


A, B = {"id": 1, "name": "a"}, {"id": 1, "name": "b"}
HISTORY = [("+I", 1, "a"), ("-U", 1, "a"), ("+U", 1, "b"), ("-D", 1, "b")]


@pytest.mark.parametrize(
    ("format_", "messages"),
    [
        (
            "debezium-json",
            [{"before": None, "after": A, "op": "c"}, {"before": A, "after": B, "op": "u"}, {"before": B, "after": None, "op": "d"}],
        ),
        ("ogg-json", [{"after": A, "op_type": "I"}, {"before": A, "after": B, "op_type": "U"}, {"before": B, "op_type": "D"}]),
        (
            "maxwell-json",
            [{"data": A, "type": "insert"}, {"data": B, "old": {"name": "a"}, "type": "update"}, {"data": B, "type": "delete"}],
        ),
        (
            "canal-json",
            [
                {"data": [A], "type": "INSERT"},
                {"data": [B], "old": [{"name": "a"}], "type": "UPDATE"},
                {"data": [B], "old": None, "type": "DELETE"},
            ],
        ),
    ],
)
def test_messages_give_rows_with_kinds(format_: str, messages: list[Any]) -> None:
    assert decode(format_, messages) == HISTORY


@pytest.mark.parametrize("format_", ["debezium-json", "ogg-json", "maxwell-json", "canal-json"])
def test_what_is_written_is_read_as_insertions_and_deletions(format_: str) -> None:
    factory: Any = FormatFactory.discover(format_)
    encoder = factory.create_encoding_format(ReadableConfig({})).create_runtime_encoder(ROW_TYPE)
    kinds = [RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE]
    columns = [[1, 1, 1, 1], ["a", "a", "b", "b"], [kind.value for kind in kinds]]
    types = [pa.int32(), pa.string(), pa.int8()]
    batch = pa.RecordBatch.from_arrays([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=["id", "name", "kind"])
    messages = [message.decode() for message in pa.array(encoder.encode(batch)).to_pylist()]
    assert decode(format_, messages) == [("+I", 1, "a"), ("-D", 1, "a"), ("+I", 1, "b"), ("-D", 1, "b")]


def test_a_field_that_was_null_before_is_told_from_one_that_did_not_change() -> None:
    message = {"data": [B, {"id": 2, "name": "c"}], "old": [{"name": None}, {"id": 5}], "type": "UPDATE"}
    assert decode("canal-json", [message]) == [("-U", 1, None), ("+U", 1, "b"), ("-U", 5, "c"), ("+U", 2, "c")]


def test_numbers_that_are_text_are_read() -> None:
    assert decode("canal-json", [{"data": [{"id": "1", "name": "a"}], "type": "INSERT"}]) == [("+I", 1, "a")]


def test_tombstones_give_no_row() -> None:
    assert decode("debezium-json", [None, "", {"after": A, "op": "r"}]) == [("+I", 1, "a")]


def test_the_payload_is_read_where_messages_have_a_schema() -> None:
    message = {"schema": {"type": "struct"}, "payload": {"before": None, "after": A, "op": "c", "ts_ms": 5}}
    found = decode("debezium-json", [message], ("schema", "ingestion-timestamp"), schema_include="true")
    assert [(row[0], row[3], row[4].isoformat()) for row in found] == [("+I", '{"type":"struct"}', "1970-01-01T00:00:00.005000+00:00")]


def test_metadata_come_behind_the_columns() -> None:
    source = {"db": "inv", "table": "p", "ts_ms": 1000}
    message = {"after": A, "op": "c", "source": source}
    keys = ("source.table", "source.properties", "source.timestamp")
    ((_, _, _, table, properties, timestamp),) = decode("debezium-json", [message], keys)
    assert (table, dict(properties)["db"], timestamp.timestamp()) == ("p", "inv", 1.0)


def test_only_the_databases_and_tables_included_are_read() -> None:
    messages = [{"data": [A], "type": "INSERT", "database": db, "table": t} for db, t in [("x", "p"), ("xy", "p"), ("x", "q"), (None, "p")]]
    assert len(decode("canal-json", messages, **{"database.include": "x", "table.include": "p|r"})) == 1


def test_a_regular_expression_that_is_none_is_refused_with_the_options() -> None:
    with pytest.raises(ValidationException, match=r"canal-json.table.include.*regular expression"):
        FormatFactory.discover("canal-json").validate({"table.include": "("})


@pytest.mark.parametrize(
    ("format_", "message", "text"),
    [
        ("debezium-json", {"after": A, "op": "x"}, r"Message 1: 'op' is one of c, r, u, d, not x: \{"),
        ("debezium-json", {"after": A}, "not NULL"),
        ("debezium-json", {"after": A, "op": "u"}, "REPLICA IDENTITY FULL"),
        ("debezium-json", "{broken", "is no JSON object"),
        ("canal-json", {"data": None, "type": "ALTER"}, "'type' is one of INSERT, UPDATE, DELETE, not ALTER"),
        ("canal-json", {"data": [A], "type": "UPDATE"}, "'old' is null in an update"),
        ("maxwell-json", {"type": "insert"}, "'data' is null"),
        ("ogg-json", {"op_type": "D"}, "'before' is null"),
    ],
)
def test_messages_that_are_no_changes_are_errors_or_left_out(format_: str, message: Any, text: str) -> None:
    with pytest.raises(TableRuntimeException, match=text):
        decode(format_, [message])
    assert decode(format_, [message], ignore_parse_errors="true") == []


def test_a_table_that_was_made_says_nothing_of_rows() -> None:
    assert decode("canal-json", [{"data": None, "type": "CREATE"}]) == []


@pytest.mark.parametrize(
    ("format_", "message"),
    [
        ("maxwell-json", '{"data":{"id":1,"name":"b"},"old":{"name":null},"type":"update","other":%s}'),
        ("canal-json", '{"data":[{"id":1,"name":"b"}],"old":[{"name":null}],"type":"UPDATE","other":%s}'),
    ],
)
def test_a_deep_value_beside_an_update_is_no_obstacle_up_to_the_bound(format_: str, message: str) -> None:
    assert decode(format_, [message % ("[" * 499 + "]" * 499)]) == [("-U", 1, None), ("+U", 1, "b")]
    with pytest.raises(TableRuntimeException, match="more than 500 levels deep"):
        decode(format_, [message % ("[" * 5000 + "]" * 5000)])
