"""Window table functions in FROM: arguments by position and by name."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation, WindowTableFunctionQueryOperation
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.exceptions import ValidationException
from table_common.tree import preorder


@pytest.fixture
def convert(session: Any) -> Any:
    return lambda text: convert_statement(parse_statement(text), session, text)


T = "(SELECT name, TIMESTAMP '2020-01-01 00:00:00' AS ts FROM t)"


def windows(operation: QueryOperation) -> list[WindowTableFunctionQueryOperation]:
    return [node for node in preorder(operation, QueryOperation) if isinstance(node, WindowTableFunctionQueryOperation)]


@pytest.mark.parametrize(
    "call",
    [
        "TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
        "TABLE(TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
        "TUMBLE(DATA => {T}, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' HOUR)",
    ],
)
def test_the_forms_of_a_call_are_one_operation(convert: Any, call: str) -> None:
    (window,) = windows(convert(f"SELECT * FROM {call.replace('{T}', T)}"))
    (plain,) = windows(convert(f"SELECT * FROM TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' HOUR)"))
    assert window.window == plain.window
    assert window.resolved_schema.column_names == ("name", "ts", "window_start", "window_end", "window_time")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TUMBLE(1, DESCRIPTOR(ts), INTERVAL '1' HOUR)", "The first argument of TUMBLE must be a table"),
        ("TUMBLE({T}, ts, INTERVAL '1' HOUR)", "The second argument of TUMBLE must name one time column"),
        ("TUMBLE({T}, DESCRIPTOR(ts))", "TUMBLE lacks the argument SIZE"),
        ("TUMBLE(DATA => {T}, DATA => {T}, TIMECOL => DESCRIPTOR(ts))", "TUMBLE got DATA twice"),
    ],
)
def test_wrong_arguments_say_what_is_wrong(convert: Any, call: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        convert(f"SELECT * FROM {call.replace('{T}', T)}")
