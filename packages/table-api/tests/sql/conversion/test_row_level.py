"""DELETE, UPDATE and TRUNCATE TABLE: targets and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations.modify.row_level import DeleteOperation, UpdateOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_delete_has_the_matching_rows_and_those_that_stay(convert: Any) -> None:
    operation = convert("DELETE FROM t WHERE age > 1")
    assert isinstance(operation, DeleteOperation)


def test_update_names_its_columns(convert: Any) -> None:
    operation = convert("UPDATE t SET age = age + 1, name = 'x'")
    assert isinstance(operation, UpdateOperation)
    assert operation.columns == ("age", "name")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("UPDATE t SET age = 1, age = 2", "UPDATE sets column 'age' twice"),
        ("UPDATE t SET r.x = 1", "UPDATE sets columns, not fields of rows: r.x"),
        ("UPDATE t SET agee = 1", "'agee' does not exist"),
        ("UPDATE t SET age = 'x' || name", "cannot be cast implicitly"),
        ("DELETE FROM nope", "'nope'"),
        ("TRUNCATE TABLE nope", "'nope'"),
    ],
)
def test_a_wrong_change_says_what_is_wrong(convert: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(text)
