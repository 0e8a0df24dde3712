"""INSERT, statement sets and EXPLAIN."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import SinkModifyOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import TableException, ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_an_insert_has_its_table_and_overwrites_if_asked(convert: Any) -> None:
    insert = convert("INSERT OVERWRITE u SELECT 1, name FROM t")
    assert isinstance(insert, SinkModifyOperation)
    assert (insert.table.identifier.object_name, insert.overwrite) == ("u", True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INSERT INTO u (r.x) SELECT 1", "INSERT writes columns, not fields of rows: r.x"),
        ("INSERT INTO u SELECT 1", "u"),
        ("INSERT INTO nope SELECT 1", "'nope'"),
    ],
)
def test_a_wrong_insert_says_what_is_wrong(convert: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(text)


def test_on_conflict_reaches_the_insertion(convert: Any) -> None:
    assert convert("INSERT INTO u SELECT 1, name FROM t ON CONFLICT DO NOTHING").on_conflict == "NOTHING"


@pytest.mark.parametrize("text", ["UPSERT INTO u SELECT 1, name FROM t"])
def test_upsert_into_is_not_supported(convert: Any, text: str) -> None:
    with pytest.raises(TableException, match="UPSERT INTO is not supported"):
        convert(text)
