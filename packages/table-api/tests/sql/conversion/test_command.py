"""Statements about the session."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations.command import SetOptionOperation, StopJobOperation, UseDatabaseOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


def test_an_option_is_set_to_its_text(convert: Any) -> None:
    operation = convert("SET 'a' = '1'")
    assert isinstance(operation, SetOptionOperation)
    assert (operation.key, operation.value) == ("a", "1")


def test_a_database_may_be_of_another_catalog(convert: Any) -> None:
    assert isinstance(convert("USE c.d"), UseDatabaseOperation)


def test_a_database_has_a_name_of_one_or_two_parts(convert: Any) -> None:
    with pytest.raises(ValidationException, match=r"USE accepts a database or catalog\.database, but got a\.b\.c"):
        convert("USE a.b.c")


def test_a_job_is_stopped_by_its_id(convert: Any) -> None:
    assert convert("STOP JOB '1' WITH SAVEPOINT WITH DRAIN") == StopJobOperation("1", True, True)
