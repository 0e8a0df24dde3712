"""Windows of time in FROM and in GROUP BY: what they become, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from table_api.operations import (
    AggregateQueryOperation,
    CumulateWindow,
    HopWindow,
    QueryOperation,
    SessionWindow,
    TumbleWindow,
    WindowAssigner,
    WindowTableFunctionQueryOperation,
)
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.configuration import Configuration, ExecutionConfigOptions
from table_common.exceptions import TableException, ValidationException

T = "(SELECT name, age, TIMESTAMP '2020-01-01 00:00:00' AS ts, PROCTIME() AS p FROM t)"
MINUTE = 60_000


@pytest.fixture
def query(session: Any) -> Any:
    """Converts a query over the table {T}."""

    def convert(text: str) -> QueryOperation:
        text = text.replace("{T}", T)
        operation = convert_statement(parse_statement(text), session, text)
        assert isinstance(operation, QueryOperation)
        return operation

    return convert


@pytest.fixture
def sessions_allowed(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        type(session), "configuration", Configuration().set(ExecutionConfigOptions.TABLE_EXEC_SESSION_WINDOWS_IN_BATCH, True)
    )


def windowed(operation: QueryOperation) -> WindowTableFunctionQueryOperation:
    while not isinstance(operation, WindowTableFunctionQueryOperation):
        (operation,) = operation.children
    return operation


@pytest.mark.parametrize(
    ("function", "window"),
    [
        ("TABLE(TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '10' MINUTES))", TumbleWindow(10 * MINUTE)),
        ("TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' MINUTE)", TumbleWindow(10 * MINUTE, MINUTE)),
        ("tumble(TABLE {T}, DESCRIPTOR(ts), INTERVAL '10' MINUTES, -INTERVAL '1' MINUTE)", TumbleWindow(10 * MINUTE, -MINUTE)),
        ("TABLE(HOP({T}, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1:30' MINUTE TO SECOND))", HopWindow(MINUTE, 90_000)),
        ("TABLE(CUMULATE({T}, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY))", CumulateWindow(3_600_000, 86_400_000)),
        (
            "TABLE(HOP(DATA => TABLE {T}, SIZE => INTERVAL '2' MINUTE, timecol => DESCRIPTOR(ts), SLIDE => INTERVAL '1' MINUTE))",
            HopWindow(MINUTE, 2 * MINUTE),
        ),
        ("TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '10' MINUTES, DEFAULT)", TumbleWindow(10 * MINUTE)),
    ],
)
def test_arguments_are_taken_by_position_and_by_name(query: Any, function: str, window: WindowAssigner) -> None:
    operation = windowed(query(f"SELECT * FROM {function}"))
    assert (operation.window, operation.time.name) == (window, "ts")


def test_start_end_and_time_stand_behind_the_columns_of_the_table(query: Any) -> None:
    schema = query("SELECT * FROM TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' DAY)").resolved_schema
    assert [(c.name, str(c.data_type)) for c in schema.columns[-3:]] == [
        ("window_start", "TIMESTAMP(3) NOT NULL"),
        ("window_end", "TIMESTAMP(3) NOT NULL"),
        ("window_time", "TIMESTAMP(0) NOT NULL"),
    ]


def test_the_time_of_a_window_has_the_type_of_the_time_column(query: Any) -> None:
    sql = "SELECT * FROM TUMBLE((SELECT TO_TIMESTAMP_LTZ(age, 3) AS l FROM t), DESCRIPTOR(l), INTERVAL '1' DAY)"
    assert str(query(sql).resolved_schema.columns[-1].data_type) == "TIMESTAMP_LTZ(3) NOT NULL"


def test_aliases_name_all_columns(query: Any) -> None:
    operation = query("SELECT w.f FROM TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' DAY) AS w(a, b, c, d, e, f, g)")
    assert operation.resolved_schema.column_names == ("f",)


def test_a_session_has_partitions(query: Any, sessions_allowed: None) -> None:
    operation = windowed(query("SELECT * FROM SESSION(TABLE {T} PARTITION BY (name, age), DESCRIPTOR(ts), INTERVAL '1' MINUTE)"))
    assert operation.window == SessionWindow(MINUTE)
    assert [key.name for key in operation.partition_by] == ["name", "age"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("TUMBLE({T}, DESCRIPTOR(nope), INTERVAL '1' DAY)", "Column 'nope' does not exist"),
        ("TUMBLE({T}, DESCRIPTOR(age), INTERVAL '1' DAY)", "TUMBLE over column 'age' takes TIMESTAMP or TIMESTAMP_LTZ"),
        ("TUMBLE({T}, DESCRIPTOR(ts, age), INTERVAL '1' DAY)", "The second argument of TUMBLE must name one time column."),
        ("TUMBLE({T}, DESCRIPTOR(ts))", "TUMBLE lacks the argument SIZE."),
        ("TUMBLE({T}, DESCRIPTOR(ts), 10)", "The size of TUMBLE is a constant interval"),
        ("TUMBLE({T}, DESCRIPTOR(ts), INTERVAL '1' MONTH)", "The size of TUMBLE is a constant interval"),
        ("TUMBLE({T}, DESCRIPTOR(ts), CAST(NULL AS INTERVAL DAY))", "The size of TUMBLE is a constant interval"),
        ("TUMBLE(ts, DESCRIPTOR(ts), INTERVAL '1' DAY)", "The first argument of TUMBLE must be a table"),
        ("TUMBLE({T} ORDER BY ts, DESCRIPTOR(ts), INTERVAL '1' DAY)", "The table of TUMBLE does not accept ORDER BY."),
        ("TUMBLE({T} PARTITION BY name, DESCRIPTOR(ts), INTERVAL '1' DAY)", "The table of TUMBLE does not accept PARTITION BY"),
        ("SESSION({T} PARTITION BY age + 1, DESCRIPTOR(ts), INTERVAL '1' DAY)", "PARTITION BY accepts columns of the table only."),
        ("TUMBLE(DATA => {T}, TIMECOL => DESCRIPTOR(ts), LENGTH => INTERVAL '1' DAY)", "Argument 'LENGTH' does not exist in TUMBLE"),
        ("TUMBLE({T}, DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY)", "either all named or all positional"),
        ("SESSION({T}, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' DAY)", "SESSION has at most 3 arguments, but got 4."),
        ("CUMULATE({T}, DESCRIPTOR(ts), INTERVAL '3' DAY, INTERVAL '10' DAY)", "must be a multiple of the step"),
    ],
)
def test_wrong_arguments_are_refused_with_their_place(query: Any, function: str, message: str) -> None:
    with pytest.raises(ValidationException, match=re.escape(message)) as caught:
        query(f"SELECT * FROM {function}")
    assert caught.value.position is not None


def test_sessions_are_refused_in_batch_mode(query: Any) -> None:
    with pytest.raises(ValidationException, match="SESSION windows are for streaming mode") as caught:
        query("SELECT * FROM SESSION({T}, DESCRIPTOR(ts), INTERVAL '1' DAY)")
    assert "table.exec.session-windows-in-batch" in str(caught.value.hint)


def test_processing_time_is_refused(query: Any) -> None:
    with pytest.raises(TableException, match="TUMBLE over processing time, as column 'p' has it"):
        query("SELECT * FROM TUMBLE({T}, DESCRIPTOR(p), INTERVAL '1' DAY)")


def test_streaming_mode_wants_a_time_attribute(query: Any, session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(session), "is_streaming_mode", True)
    with pytest.raises(ValidationException, match="TUMBLE needs a time attribute in streaming mode, but column 'ts' is TIMESTAMP"):
        query("SELECT COUNT(*) FROM {T} AS s GROUP BY TUMBLE(ts, INTERVAL '1' DAY)")


# --- GROUP BY ---------------------------------------------------------------------------------------------------------------------


def grouping_of(operation: QueryOperation) -> AggregateQueryOperation:
    while not isinstance(operation, AggregateQueryOperation):
        (operation,) = operation.children
    return operation


def test_a_window_in_group_by_becomes_its_start(query: Any) -> None:
    operation = query("SELECT COUNT(*) FROM {T} AS s GROUP BY name, TUMBLE(ts, INTERVAL '1' DAY)")
    assert [key.name for key in grouping_of(operation).grouping] == ["name", "$window_start"]
    assert windowed(operation).window == TumbleWindow(86_400_000)


def test_what_is_asked_of_the_window_is_grouped_by_too(query: Any) -> None:
    operation = query(
        "SELECT TUMBLE_START(ts, INTERVAL '1' DAY) AS a, TUMBLE_ROWTIME(ts, INTERVAL '1' DAY) AS c FROM {T} AS s "
        "GROUP BY TUMBLE(ts, INTERVAL '1' DAY) HAVING TUMBLE_END(ts, INTERVAL '1' DAY) IS NOT NULL"
    )
    assert [key.name for key in grouping_of(operation).grouping] == ["$window_start", "$window_end", "$window_time"]


def test_functions_of_the_window_have_the_precision_of_the_time(query: Any) -> None:
    operation = query("SELECT TUMBLE_START(ts, INTERVAL '1' DAY) AS a FROM {T} AS s GROUP BY TUMBLE(ts, INTERVAL '1' DAY)")
    assert str(operation.resolved_schema.columns[0].data_type) == "TIMESTAMP(0) NOT NULL"


def test_the_time_may_be_computed(query: Any) -> None:
    operation = query("SELECT COUNT(*) FROM t GROUP BY TUMBLE(TO_TIMESTAMP(name), INTERVAL '1' DAY)")
    assert windowed(operation).time.name == "$f0"


def test_a_session_in_group_by_is_partitioned_by_the_other_groups(query: Any, sessions_allowed: None) -> None:
    operation = windowed(query("SELECT COUNT(*) FROM {T} AS s GROUP BY name, SESSION(ts, INTERVAL '1' DAY), age + 1"))
    assert [key.name for key in operation.partition_by] == ["name", "$f0"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT TUMBLE_START(ts, INTERVAL '1' DAY) FROM {T} AS s", "TUMBLE_START needs TUMBLE in GROUP BY."),
        ("SELECT name FROM {T} AS s WHERE HOP_END(ts, INTERVAL '1' DAY, INTERVAL '1' DAY) IS NULL", "HOP_END needs HOP in GROUP BY."),
        ("SELECT TUMBLE(ts, INTERVAL '1' DAY) FROM {T} AS s", "TUMBLE can only be used in GROUP BY, or in FROM"),
        (
            "SELECT TUMBLE_END(ts, INTERVAL '2' DAY) FROM {T} AS s GROUP BY TUMBLE(ts, INTERVAL '1' DAY)",
            "refers to a window that is not in GROUP BY",
        ),
        (
            "SELECT HOP_END(ts, INTERVAL '1' DAY, INTERVAL '1' DAY) FROM {T} AS s GROUP BY TUMBLE(ts, INTERVAL '1' DAY)",
            "refers to a window that is not in GROUP BY",
        ),
        (
            "SELECT 1 FROM {T} AS s GROUP BY TUMBLE(ts, INTERVAL '1' DAY), TUMBLE(ts, INTERVAL '2' DAY)",
            "GROUP BY takes one window",
        ),
        ("SELECT 1 FROM {T} AS s GROUP BY TUMBLE(age, INTERVAL '1' DAY)", "is not a valid call"),
        ("SELECT 1 FROM {T} AS s GROUP BY CUBE(TUMBLE(ts, INTERVAL '1' DAY))", "must be in every grouping set"),
        (
            "SELECT 1 FROM {T} AS s GROUP BY SESSION(ts, INTERVAL '1' DAY), CUBE(name)",
            "SESSION in GROUP BY cannot be combined with grouping sets",
        ),
    ],
)
def test_misplaced_windows_are_refused(query: Any, sql: str, message: str) -> None:
    with pytest.raises(ValidationException, match=re.escape(message)) as caught:
        query(sql)
    assert caught.value.position is not None
