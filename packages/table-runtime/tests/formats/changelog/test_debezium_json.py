"""Messages of Debezium: rows before and after, their source, and messages with a schema."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException

Decode = Callable[..., list[tuple[Any, ...]]]
A, B = {"id": 1, "name": "a"}, {"id": 1, "name": "b"}


def test_tombstones_give_no_row(decode: Decode) -> None:
    assert decode("debezium-json", [None, "", {"after": A, "op": "r"}]) == [("+I", 1, "a")]


def test_the_payload_is_read_where_messages_have_a_schema(decode: Decode) -> None:
    message = {"schema": {"type": "struct"}, "payload": {"before": None, "after": A, "op": "c", "ts_ms": 5}}
    found = decode("debezium-json", [message], ("schema", "ingestion-timestamp"), schema_include="true")
    assert [(row[0], row[3], row[4].isoformat()) for row in found] == [("+I", '{"type":"struct"}', "1970-01-01T00:00:00.005000+00:00")]


def test_metadata_come_behind_the_columns(decode: Decode) -> None:
    source = {"db": "inv", "table": "p", "ts_ms": 1000}
    message = {"after": A, "op": "c", "source": source}
    keys = ("source.table", "source.properties", "source.timestamp")
    ((_, _, _, table, properties, timestamp),) = decode("debezium-json", [message], keys)
    assert (table, dict(properties)["db"], timestamp.timestamp()) == ("p", "inv", 1.0)


def test_a_message_with_a_schema_and_no_payload_is_an_error(decode: Decode) -> None:
    with pytest.raises(TableRuntimeException, match="'op' must be one of c, r, u, d, not NULL"):
        decode("debezium-json", [{"schema": {}, "payload": None}], schema_include="true")


def test_the_payload_is_an_error_where_messages_have_no_schema(decode: Decode) -> None:
    with pytest.raises(TableRuntimeException, match="'op' must be one of c, r, u, d, not NULL"):
        decode("debezium-json", [{"schema": {}, "payload": {"after": A, "op": "c"}}])


def test_a_message_of_the_other_form_names_the_option(decode: Decode) -> None:
    with pytest.raises(TableRuntimeException, match=r"set the table's option 'debezium-json\.schema-include' to 'true'"):
        decode("debezium-json", [{"schema": {}, "payload": {"after": A, "op": "c"}}])
    with pytest.raises(TableRuntimeException, match=r"set the table's option 'debezium-json\.schema-include' to 'false'"):
        decode("debezium-json", [{"after": A, "op": "c"}], schema_include="true")


def test_metadata_that_a_message_does_not_have_are_null(decode: Decode) -> None:
    keys = ("ingestion-timestamp", "source.timestamp", "source.database", "source.schema", "source.table")
    messages = [{"after": A, "op": "c"}, {"after": B, "op": "c", "source": {"db": "d"}, "ts_ms": 0}]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert [row[3:] for row in decode("debezium-json", messages, keys)] == [(None, None, None, None, None), (epoch, None, "d", None, None)]


def test_metadata_of_an_update_stand_behind_both_of_its_rows(decode: Decode) -> None:
    found = decode("debezium-json", [{"before": A, "after": B, "op": "u", "source": {"table": "t"}}], ("source.table",))
    assert found == [("-U", 1, "a", "t"), ("+U", 1, "b", "t")]


def test_an_unknown_metadata_key_is_refused_with_the_closest(decode: Decode) -> None:
    with pytest.raises(ValidationException, match=r"Did you mean 'source\.table'"):
        decode("debezium-json", [], ("source.tabel",))


def test_a_field_that_the_row_before_does_not_have_is_null(decode: Decode) -> None:
    # PostgreSQL without REPLICA IDENTITY FULL sends the key alone, and the format cannot know what is missing.
    assert decode("debezium-json", [{"before": {"id": 1}, "after": None, "op": "d"}]) == [("-D", 1, None)]
