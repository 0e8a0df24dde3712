from __future__ import annotations

import io

import pytest

from sql_client.rendering import Display, render
from sql_client.session import ClientSession
from table_api import TableResult
from table_api.rendering import TableauStyle
from table_common.catalog import ResolvedSchema
from table_common.types import VarCharType

WIDE = "SELECT 1 AS id, RPAD('', 60, 'x') AS text, RPAD('', 50, 'y') AS more"
MANY = "SELECT " + ", ".join(f"{n} AS column_{n}" for n in range(12))


def _shown(session: ClientSession, query: str, **options: object) -> str:
    output = io.StringIO()
    render(session.env.execute_sql(query), Display(**options), output)  # type: ignore[arg-type]
    return output.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_table_fits_into_the_terminal(session: ClientSession, width: int) -> None:
    lines = _shown(session, WIDE, width=width, expanded="auto").splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("+----+")  # narrow columns keep their width


def test_text_is_complete_if_the_terminal_is_wide_enough(session: ClientSession) -> None:
    assert "x" * 60 in _shown(session, WIDE, width=140, expanded="auto")


def test_rows_with_too_many_columns_are_shown_as_records(session: ClientSession) -> None:
    assert "-[ RECORD 1 ]\ncolumn_0  | 0\n" in _shown(session, MANY, width=60, expanded="auto")
    assert _shown(session, MANY, width=60, expanded="off").startswith("+--")


def test_no_rows_are_an_empty_set(session: ClientSession) -> None:
    query = f"SELECT * FROM ({MANY}) WHERE column_0 > 1"
    assert _shown(session, query, width=60, expanded="on") == "Empty set\n\n"


@pytest.mark.parametrize("expanded", ["auto", "off"])
def test_a_path_of_a_job_is_whole_on_a_narrow_terminal(expanded: str) -> None:
    path = "/checkpoints/" + "x" * 200
    output = io.StringIO()
    schema = ResolvedSchema.physical([("savepoint path", VarCharType())])
    render(
        TableResult(schema, rows=[(path,)], style=TableauStyle(max_column_width=None, whole=True)),
        Display(width=60, expanded=expanded),
        output,
    )
    assert path in output.getvalue()
