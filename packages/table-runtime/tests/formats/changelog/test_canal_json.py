"""Messages of Canal: several rows each, and the fields that an update has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import FormatFactory

Decode = Callable[..., list[tuple[Any, ...]]]
A, B = {"id": 1, "name": "a"}, {"id": 1, "name": "b"}


def test_a_field_that_was_null_before_is_told_from_one_that_did_not_change(decode: Decode) -> None:
    message = {"data": [B, {"id": 2, "name": "c"}], "old": [{"name": None}, {"id": 5}], "type": "UPDATE"}
    assert decode("canal-json", [message]) == [("-U", 1, None), ("+U", 1, "b"), ("-U", 5, "c"), ("+U", 2, "c")]


@pytest.mark.parametrize("name", ["old", r"\u006fld"])
def test_a_null_before_is_found_wherever_the_changed_fields_are(decode: Decode, name: str) -> None:
    message = '{"NAME":[{"name":null}],"type":"UPDATE","data":[{"id":1,"name":"b"}]}'.replace("NAME", name)
    assert decode("canal-json", [message]) == [("-U", 1, None), ("+U", 1, "b")]


@pytest.mark.parametrize(("format_", "many"), [("canal-json", True), ("maxwell-json", False)])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_field_before_that_cannot_be_read_is_null_and_not_the_one_after(decode: Decode, format_: str, many: bool, reverse: bool) -> None:
    def message(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        fields = {"old": [old] if many else old, "data": [new] if many else new, "type": "UPDATE" if many else "update"}
        return dict(reversed(fields.items())) if reverse else fields

    messages = [message({"id": "x"}, A), message({"name": "z"}, B), message({"id": 7}, A)]
    assert decode(format_, messages, **{"ignore-parse-errors": "true"}) == [
        ("-U", None, "a"), ("+U", 1, "a"), ("-U", 1, "z"), ("+U", 1, "b"), ("-U", 7, "a"), ("+U", 1, "a")
    ]  # fmt: skip


def test_numbers_that_are_text_are_read(decode: Decode) -> None:
    assert decode("canal-json", [{"data": [{"id": "1", "name": "a"}], "type": "INSERT"}]) == [("+I", 1, "a")]


def test_only_the_databases_and_tables_included_are_read(decode: Decode) -> None:
    messages = [{"data": [A], "type": "INSERT", "database": db, "table": t} for db, t in [("x", "p"), ("xy", "p"), ("x", "q"), (None, "p")]]
    assert len(decode("canal-json", messages, **{"database.include": "x", "table.include": "p|r"})) == 1


def test_a_regular_expression_that_is_none_is_refused_with_the_options() -> None:
    with pytest.raises(ValidationException, match=r"canal-json.table.include.*regular expression"):
        FormatFactory.discover("canal-json").validate({"table.include": "("})


def test_a_table_that_was_made_says_nothing_of_rows(decode: Decode) -> None:
    assert decode("canal-json", [{"data": None, "type": "CREATE"}]) == []


def test_a_message_has_the_changes_of_several_rows_in_their_order(decode: Decode) -> None:
    message = {"data": [A, {"id": 2, "name": None}], "type": "DELETE"}
    assert decode("canal-json", [message, {"data": [], "type": "INSERT"}, {"data": [B], "type": "INSERT"}]) == [
        ("-D", 1, "a"),
        ("-D", 2, None),
        ("+I", 1, "b"),
    ]


def test_each_update_takes_its_own_row_before_from_its_own_message(decode: Decode) -> None:
    first = {"data": [A], "type": "INSERT", "old": None}
    second = {"data": [{"id": 5, "name": "e"}, {"id": 6, "name": "f"}], "old": [{"name": "E"}, {"name": None}], "type": "UPDATE"}
    assert decode("canal-json", [first, second, second])[-4:] == [("-U", 5, "E"), ("+U", 5, "e"), ("-U", 6, None), ("+U", 6, "f")]


def test_metadata_of_a_message_stand_behind_each_of_its_rows(decode: Decode) -> None:
    message = {
        "data": [A, B],
        "type": "INSERT",
        "database": "d",
        "pkNames": ["id"],
        "sqlType": {"id": 4},
        "ts": 1_700_000_000_123,
        "es": None,
    }
    keys = ("database", "pk-names", "sql-type", "ingestion-timestamp", "event-timestamp")
    moment = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)
    expected = ("d", ["id"], [("id", 4)], moment, None)
    assert [row[3:] for row in decode("canal-json", [message], keys)] == [expected, expected]


def test_a_message_of_an_excluded_table_is_not_checked(decode: Decode) -> None:
    messages = [{"data": None, "type": "ALTER", "table": "other"}, {"data": [A], "type": "INSERT", "table": "t"}]
    assert decode("canal-json", messages, **{"table.include": "t"}) == [("+I", 1, "a")]
    with pytest.raises(TableRuntimeException, match="Message 1: 'type' must be one of INSERT, UPDATE, DELETE, not ALTER"):
        decode("canal-json", messages, **{"table.include": ".*"})


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"data": [None], "type": "INSERT"}, "a row of 'data' is null"),
        ({"data": [A, None], "type": "DELETE"}, "a row of 'data' is null"),
        ({"data": [A], "old": [], "type": "UPDATE"}, "'old' has no object for a row of 'data'"),
        ({"data": [A], "old": [None], "type": "UPDATE"}, "'old' has no object for a row of 'data'"),
        ({"data": [A, B], "old": [{"name": "c"}], "type": "UPDATE"}, "'old' has no object for a row of 'data'"),
    ],
)
def test_a_row_that_is_missing_is_an_error_and_the_message_is_dropped_if_errors_are_ignored(
    decode: Decode, message: dict[str, Any], problem: str
) -> None:
    good = {"data": [B], "old": [{"name": "a"}], "type": "UPDATE"}
    with pytest.raises(TableRuntimeException, match=problem):
        decode("canal-json", [good, message])
    changes = [("-U", 1, "a"), ("+U", 1, "b")]
    assert decode("canal-json", [good, message, good], **{"ignore-parse-errors": "true"}) == changes * 2


@pytest.mark.parametrize("row", [[], 1, "x"])
def test_a_row_that_is_no_object_is_dropped_with_its_message_if_errors_are_ignored(decode: Decode, row: Any) -> None:
    messages = [{"data": [A, row], "type": "INSERT"}, {"data": [B], "type": "INSERT"}]
    assert decode("canal-json", messages, **{"ignore-parse-errors": "true"}) == [("+I", 1, "b")]
    with pytest.raises(TableRuntimeException, match="it is not an object"):
        decode("canal-json", messages)
