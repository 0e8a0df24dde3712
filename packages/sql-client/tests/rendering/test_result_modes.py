from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from sql_client.rendering import Display, render
from sql_client.rendering.table import remaining_rows
from sql_client.session import ClientSession
from table_common.data import Row, RowKind
from table_common.exceptions import ValidationException

Render = Callable[..., str]


def test_csv_quotes_only_where_needed_and_null_is_an_empty_field(shown: Render) -> None:
    query = "SELECT 1 AS a, CAST(NULL AS STRING) AS b, '' AS c, 'x,\"y' AS `d,e`, 'plain text' AS f"
    assert shown(query, "csv") == 'a,b,c,"d,e",f\n1,,"","x,""y",plain text\n'


def test_csv_of_no_rows_is_the_header(shown: Render) -> None:
    assert shown("SELECT * FROM (VALUES (1, 'x')) AS t (a, b) WHERE a > 1", "csv") == "a,b\n"


def test_csv_of_a_second_result_begins_with_a_blank_line(shown: Render) -> None:
    assert shown("SELECT 1 AS a", "csv", is_first=False) == "\na\n1\n"


@pytest.mark.parametrize("mode", ["csv", "json"])
def test_data_for_programs_has_no_line_for_statements_without_rows(shown: Render, mode: str) -> None:
    assert shown("CREATE TEMPORARY VIEW v AS SELECT 1", mode) == ""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


EXPRESSIONS = (
    "CAST(NULL AS INT)",
    "TRUE",
    "CAST(0.1 AS FLOAT)",
    "1E-5",
    "CAST('NaN' AS DOUBLE)",
    "-1.0E10",
    "123456789012.50",
    "0.00000001",
    "DATE '0001-01-02'",
    "TIME '01:02:03'",
    "CAST('01:02:03.45' AS TIME(3))",
    "TIMESTAMP '2020-01-02 03:04:05.600'",
    "CAST('2020-01-02 03:04:05.6' AS TIMESTAMP_LTZ(3))",
    "CAST('2020-01-02 03:04:05.123456789' AS TIMESTAMP(9))",
    "INTERVAL '1' DAY",
    "INTERVAL '13' MONTH",
    "X'0aff'",
    "'a,\"b\"'",
    "CAST('abc' AS CHAR(5))",
    "ARRAY['a,b', CAST(NULL AS STRING)]",
    "MAP[1, 'x']",
    "CAST(ROW(1, 'x') AS ROW<a INT, b STRING>)",
)


@pytest.mark.parametrize("mode", ["csv", "json"])
def test_batches_are_written_as_single_rows_are(mode: str) -> None:
    query = "SELECT " + ", ".join(f"{expression} AS c{number}" for number, expression in enumerate(EXPRESSIONS))
    with ClientSession.open({"table.local-time-zone": "Europe/Berlin"}) as session:
        by_row, by_batch = _Terminal(), io.StringIO()
        render(session.env.execute_sql(query), Display(mode), by_row)
        render(session.env.execute_sql(query), Display(mode), by_batch)
    assert by_batch.getvalue() == by_row.getvalue()


def test_parquet_is_a_file_with_the_rows(session: ClientSession) -> None:
    file = io.BytesIO()
    output = io.TextIOWrapper(file)
    render(session.env.execute_sql("SELECT 1 AS a, 'x' AS b"), Display("parquet"), output)
    assert file.getvalue().startswith(b"PAR1")
    assert file.getvalue().endswith(b"PAR1")


def test_a_second_result_in_a_parquet_file_is_refused(session: ClientSession) -> None:
    with pytest.raises(ValidationException, match="a Parquet file holds one result"):
        render(session.env.execute_sql("SELECT 1 AS a"), Display("parquet", is_first=False), io.TextIOWrapper(io.BytesIO()))


def test_a_parquet_file_is_not_shown_on_a_terminal(session: ClientSession) -> None:
    with pytest.raises(ValidationException, match="cannot be shown on a terminal"):
        render(session.env.execute_sql("SELECT 1 AS a"), Display("parquet"), _Terminal())


def test_tableau_ends_at_the_limit_with_a_note(shown: Render) -> None:
    printed = shown("SELECT * FROM (VALUES (1), (2), (3)) AS t (a)", "tableau", max_rows=2)
    assert printed.endswith("| 2 |\n+---+\n2 rows in set (there are more; 'sql-client.execution.max-table-result.rows' is the limit)\n\n")


def test_tableau_of_just_as_many_rows_as_the_limit_is_whole(shown: Render) -> None:
    assert shown("SELECT * FROM (VALUES (1), (2)) AS t (a)", "tableau", max_rows=2).endswith("2 rows in set\n\n")


def test_the_time_follows_the_number_of_rows(shown: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sql_client.rendering.display.time.monotonic", lambda: 12.5)
    assert shown("SELECT 1", "tableau", started=10.0).endswith("1 row in set (2.50 seconds)\n\n")
    assert shown("SHOW TABLES", "tableau", started=10.0) == "Empty set (2.50 seconds)\n\n"


def test_changelog_shows_the_kind_of_each_row(shown: Render) -> None:
    assert "| op | a |\n" in shown("SELECT 1 AS a", "changelog")


def test_changelog_of_a_listing_has_no_kinds(shown: Render) -> None:
    assert "op" not in shown("SHOW DATABASES", "changelog")


def test_table_of_rows_that_do_not_change_is_the_tableau(shown: Render) -> None:
    query = "SELECT * FROM (VALUES (1), (2)) AS t (a)"
    assert shown(query, "table") == shown(query, "tableau")


def test_table_of_a_streaming_query_shows_the_rows_without_kinds() -> None:
    output = io.StringIO()
    with ClientSession.open({"execution.runtime-mode": "streaming"}) as session:
        render(session.env.execute_sql("SELECT 1 AS a"), Display("table"), output)
    assert output.getvalue() == "+---+\n| a |\n+---+\n| 1 |\n+---+\n1 row in set\n\n"


def test_changes_leave_the_rows_that_are_there_in_the_end() -> None:
    kinds = (RowKind.INSERT, RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE)
    values: tuple[Any, ...] = ([1], [2], [1], [2], [3], [1])
    rows = remaining_rows(Row.of_kind(kind, value) for kind, value in zip(kinds, values, strict=True))
    assert [list(row) for row in rows] == [[[1]], [[3]]]


def test_the_progress_line_is_cleared_before_the_first_output(session: ClientSession) -> None:
    output = io.StringIO()
    seen: list[str] = []
    display = Display("csv", before_output=lambda: seen.append(output.getvalue()))
    render(session.env.execute_sql("SELECT 1 AS a"), display, output)
    assert seen == [""]
