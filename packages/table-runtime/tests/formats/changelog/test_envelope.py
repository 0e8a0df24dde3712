"""Messages of changes in all formats, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type

Decode = Callable[..., list[tuple[Any, ...]]]
ROW_TYPE = RowType.of([("id", parse_logical_type("INT")), ("name", parse_logical_type("STRING"))], nullable=False)
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
def test_messages_give_rows_with_kinds(format_: str, messages: list[Any], decode: Decode) -> None:
    assert decode(format_, messages) == HISTORY


@pytest.mark.parametrize(
    ("format_", "messages"),
    [
        ("debezium-json", ['{"after":ROW,"op":"c"}', '{"before":ROW,"after":NONE,"op":"u"}', '{"before":NONE,"op":"d"}']),
        ("ogg-json", ['{"after":ROW,"op_type":"I"}', '{"before":ROW,"after":NONE,"op_type":"U"}', '{"before":NONE,"op_type":"D"}']),
        ("maxwell-json", ['{"data":ROW,"type":"insert"}', '{"data":NONE,"old":ROW,"type":"update"}', '{"data":NONE,"type":"delete"}']),
        (
            "canal-json",
            ['{"data":[ROW],"type":"INSERT"}', '{"data":[NONE],"old":[ROW],"type":"UPDATE"}', '{"data":[NONE],"type":"DELETE"}'],
        ),
    ],
)
@pytest.mark.parametrize("times", [1, 100])
def test_a_field_of_a_nested_row_is_not_null_only_where_that_row_is(format_: str, messages: list[str], times: int, decode: Decode) -> None:
    row_type = RowType.of([("r", parse_logical_type("ROW<x INT NOT NULL>"))], nullable=False)
    texts = [message.replace("ROW", '{"r":{"x":1}}').replace("NONE", '{"r":null}') for message in messages]
    expected = [("+I", {"x": 1}), ("-U", {"x": 1}), ("+U", None), ("-D", None)]
    assert decode(format_, texts * times, row_type=row_type) == expected * times


@pytest.mark.parametrize("format_", ["debezium-json", "ogg-json", "maxwell-json", "canal-json"])
def test_what_is_written_is_read_as_insertions_and_deletions(format_: str, decode: Decode) -> None:
    factory: Any = FormatFactory.discover(format_)
    encoder = factory.create_encoding_format(ReadableConfig({})).create_runtime_encoder(ROW_TYPE)
    kinds = [RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE]
    columns = [[1, 1, 1, 1], ["a", "a", "b", "b"], [kind.value for kind in kinds]]
    types = [pa.int32(), pa.string(), pa.int8()]
    batch = pa.RecordBatch.from_arrays([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=["id", "name", "kind"])
    messages = [message.decode() for message in pa.array(encoder.encode(batch)).to_pylist()]
    assert decode(format_, messages) == [("+I", 1, "a"), ("-D", 1, "a"), ("+I", 1, "b"), ("-D", 1, "b")]


@pytest.mark.parametrize(
    ("format_", "message", "text"),
    [
        ("debezium-json", {"after": A, "op": "x"}, r"Message 1: 'op' must be one of c, r, u, d, not x: \{"),
        ("debezium-json", {"after": A}, "not NULL"),
        ("debezium-json", {"after": A, "op": "u"}, "REPLICA IDENTITY FULL"),
        ("debezium-json", "{broken", "is not a JSON object"),
        ("canal-json", {"data": None, "type": "ALTER"}, "'type' must be one of INSERT, UPDATE, DELETE, not ALTER"),
        ("canal-json", {"data": [A], "type": "UPDATE"}, "'old' is null in an update"),
        ("maxwell-json", {"type": "insert"}, "'data' is null"),
        ("ogg-json", {"op_type": "D"}, "'before' is null"),
    ],
)
def test_messages_that_are_no_changes_are_errors_or_left_out(format_: str, message: Any, text: str, decode: Decode) -> None:
    with pytest.raises(TableRuntimeException, match=text):
        decode(format_, [message])
    assert decode(format_, [message], ignore_parse_errors="true") == []


@pytest.mark.parametrize(
    ("format_", "message"),
    [
        ("maxwell-json", '{"data":{"id":1,"name":"b"},"old":{"name":null},"type":"update","other":%s}'),
        ("canal-json", '{"data":[{"id":1,"name":"b"}],"old":[{"name":null}],"type":"UPDATE","other":%s}'),
    ],
)
def test_a_deep_value_beside_an_update_is_no_obstacle_up_to_the_bound(format_: str, message: str, decode: Decode) -> None:
    assert decode(format_, [message % ("[" * 499 + "]" * 499)]) == [("-U", 1, None), ("+U", 1, "b")]
    with pytest.raises(TableRuntimeException, match="more than 500 levels deep"):
        decode(format_, [message % ("[" * 5000 + "]" * 5000)])


@pytest.mark.parametrize(
    ("format_", "update"),
    [
        ("maxwell-json", '{"data":{"id":1,"name":"b"},"old":{"name":null},"type":"update"}'),
        ("canal-json", '{"data":[{"id":1,"name":"b"}],"old":[{"name":null}],"type":"UPDATE"}'),
    ],
)
def test_each_envelope_of_an_array_has_its_own_row_before(format_: str, update: str, decode: Decode) -> None:
    other = update.replace('"name":null', '"id":7')
    expected = [("-U", 1, None), ("+U", 1, "b"), ("-U", 7, "b"), ("+U", 1, "b")]
    assert decode(format_, [f" [{update},{other}]", other]) == [*expected, *expected[2:]]


def test_envelopes_of_an_array_are_read_although_other_items_are_ignored(decode: Decode) -> None:
    update = {"data": B, "old": {"name": None}, "type": "update"}
    messages = [[1, update, None, update], [update]]
    assert decode("maxwell-json", messages, **{"ignore-parse-errors": "true"}) == [("-U", 1, None), ("+U", 1, "b")] * 3


def test_control_characters_in_messages_are_read(decode: Decode) -> None:
    message = '{"data":{"id":1,"name":"b\tc"},"old":{"name":null},"type":"update"}'
    assert decode("maxwell-json", [message]) == [("-U", 1, None), ("+U", 1, "b\tc")]


@pytest.mark.parametrize("format_", ["debezium-json", "canal-json", "maxwell-json", "ogg-json"])
def test_changes_of_rows_without_columns_are_refused(format_: str) -> None:
    factory: Any = FormatFactory.discover(format_)
    with pytest.raises(ValidationException, match=f"The format '{format_}' needs at least one column"):
        factory.create_encoding_format(ReadableConfig({})).create_runtime_encoder(RowType((), nullable=False))
