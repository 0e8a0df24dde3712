"""SQL that people type who come from other databases: what is accepted, and hints that work when they are followed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException
from table_common.functions import FOREIGN_FUNCTIONS

FLIGHTS = "CREATE TEMPORARY VIEW f AS SELECT * FROM (VALUES ('UA', 5.0E0, 2013), ('AA', 3.0E0, 2014), ('UA', 7.0E0, 2014)) AS t (carrier, delay, y)"
VIEWS = {
    "times": "SELECT TIMESTAMP '2013-02-03 04:05:06' AS a, TIMESTAMP '2013-02-04 00:00:00' AS b",
    "doubles": "SELECT * FROM (VALUES (1.0E0, 2.0E0, 'x'), (2.0E0, 4.0E0, 'y')) AS v (a, b, g)",
    "texts": "SELECT '2013-02-03' AS a, 'x' AS b",
}
ARGUMENTS = {
    "times": {"DATEADD", "DATE_ADD", "DATEDIFF", "DATE_DIFF", "DATE_PART", "DATE_TRUNC", "STRFTIME", "TO_CHAR"},
    "texts": {
        "CHARINDEX",
        "GET_JSON_OBJECT",
        "GROUP_CONCAT",
        "JSON_EXTRACT",
        "LEN",
        "LENGTH",
        "REGEXP_MATCHES",
        "SPLIT_PART",
        "STRING_AGG",
        "STRPOS",
        "STRPTIME",
    },
}


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest) -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build())
    env.execute_sql(FLIGHTS)
    return env


@pytest.fixture
def embedded() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    for name, query in VIEWS.items():
        env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    env.execute_sql(FLIGHTS)
    return env


def _rows(env: TableEnvironment, query: str) -> list[tuple[object, ...]]:
    with env.execute_sql(query).collect() as rows:
        return sorted(tuple(row) for row in rows)


def test_groups_are_numbered_by_the_items_of_select(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT carrier, COUNT(*) FROM f GROUP BY 1") == [("AA", 1), ("UA", 2)]
    assert _rows(env, "SELECT COUNT(*), y + 1, carrier FROM f GROUP BY 3, 2") == [(1, 2014, "UA"), (1, 2015, "AA"), (1, 2015, "UA")]


def test_a_number_of_an_aggregate_is_a_constant(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT COUNT(*) FROM f GROUP BY 1") == [(3,)]


def test_having_knows_the_aliases_of_select(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT carrier, COUNT(*) AS n FROM f GROUP BY carrier HAVING n > 1") == [("UA", 2)]


def test_a_column_comes_before_an_alias_in_having(env: TableEnvironment) -> None:
    assert _rows(env, "SELECT carrier AS c, MAX(y) AS y FROM f GROUP BY carrier, y HAVING y < 2014") == [("UA", 2013)]


def test_an_alias_may_be_the_name_of_several_columns(env: TableEnvironment) -> None:
    query = (
        "SELECT a.carrier AS carrier, COUNT(*) AS n FROM f AS a JOIN f AS b ON a.carrier = b.carrier GROUP BY a.carrier HAVING COUNT(*) > 1"
    )
    assert _rows(env, query) == [("UA", 4)]
    with pytest.raises(ValidationException, match="Column 'carrier' is ambiguous"):
        env.sql_query(f"{query} AND carrier <> ''")


@pytest.mark.parametrize("name", ["UPPER", "upper", "`UPPER`", "MAX"])
def test_a_function_is_described_without_back_ticks(embedded: TableEnvironment, name: str) -> None:
    assert ("is system function", "true") in _rows(embedded, f"DESCRIBE FUNCTION {name}")
    assert _rows(embedded, f"DESCRIBE FUNCTION EXTENDED {name}")


def _hint(env: TableEnvironment, statement: str) -> str:
    with pytest.raises(TableError) as raised:
        env.execute_sql(statement)
    return str(raised.value).partition("hint: ")[2]


@pytest.mark.parametrize("function", sorted(FOREIGN_FUNCTIONS))
def test_what_to_write_instead_of_a_function_runs(embedded: TableEnvironment, function: str) -> None:
    hint = _hint(embedded, f"SELECT {function}(a) FROM doubles")
    assert "write " in hint
    view = next((view for view, functions in ARGUMENTS.items() if function in functions), "doubles")
    for alternative in re.split(r", or | of a number, .*|, for columns .*", hint.partition("write ")[2]):
        if alternative.startswith("SELECT"):
            assert _rows(embedded, alternative.replace("…", "a").replace("FROM t", "FROM doubles"))
        elif alternative:
            assert _rows(embedded, f"SELECT {alternative} FROM {view}")


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("DATE '2026-01-01' + 1", "write d + INTERVAL '1' DAY, or TIMESTAMPADD(DAY, n, d)"),
        ("TIMESTAMP '2026-01-01 00:00:00' - 1", "write d - INTERVAL '1' DAY, or TIMESTAMPADD(DAY, n, d)"),
        ("DATE '2026-01-02' - DATE '2026-01-01'", "write TIMESTAMPDIFF(DAY, a, b) for the days from a to b"),
        ("DATE_FORMAT(DATE '2026-01-01', 'yyyy-MM')", "CAST the DATE AS TIMESTAMP"),
        ("g + 'x'", "write a || b, or CONCAT(a, b)"),
        ("'a' || b", "CAST the other operand AS STRING"),
        ("g * 2", "CAST the text AS DOUBLE or DECIMAL"),
        ("SUM(g)", "CAST the text AS DOUBLE or DECIMAL"),
        ("ARRAY[1] || 2", ""),
    ],
)
def test_an_operator_of_other_databases_says_what_to_write(embedded: TableEnvironment, call: str, hint: str) -> None:
    assert _hint(embedded, f"SELECT {call} FROM doubles") == hint


def test_a_name_of_select_in_where_says_what_to_write(embedded: TableEnvironment) -> None:
    hint = "'c' is a name of SELECT, which WHERE does not know: repeat its expression, or filter in an outer query"
    assert _hint(embedded, "SELECT a + b AS c FROM doubles WHERE c > 1") == hint
    assert _hint(embedded, "SELECT a + b AS c FROM doubles WHERE d > 1") == ""


def test_copy_says_what_to_write_which_runs(embedded: TableEnvironment, tmp_path: Path) -> None:
    hint = _hint(embedded, "COPY f TO 'x.csv'")
    statement = hint.partition("write ")[2].partition(";")[0]
    embedded.execute_sql(statement.replace("…", str(tmp_path / "x")).replace("FROM t", "FROM f")).wait()
    assert len(_rows(embedded, "SELECT * FROM x")) == 3


def test_summarize_says_what_to_write_which_runs(embedded: TableEnvironment) -> None:
    statement = _hint(embedded, "SUMMARIZE doubles").partition("write ")[2].partition(";")[0]
    assert _rows(embedded, statement.replace("FROM t", "FROM doubles")) == [(2, 2, 2, 1.0, 2.0, 1.5)]


def test_pivot_has_a_column_per_value(env: TableEnvironment) -> None:
    pivoted = env.execute_sql("SELECT * FROM f PIVOT (SUM(delay) FOR y IN (2013, 2014))")
    assert sorted(map(tuple, pivoted.collect()), key=str) == [("AA", None, 3.0), ("UA", 5.0, 7.0)]


def test_a_comparison_of_text_and_numbers_names_both_types_and_the_cast(embedded: TableEnvironment) -> None:
    with pytest.raises(TableError, match=r"EQUALS\(DOUBLE NOT NULL, CHAR\(3\) NOT NULL\)") as raised:
        embedded.execute_sql("SELECT * FROM f WHERE delay = 'abc'")
    assert "hint: compare values of one type: CAST the DOUBLE AS STRING, or the CHAR(3) AS DOUBLE" in str(raised.value)
    assert _rows(embedded, "SELECT carrier FROM f WHERE CAST(delay AS STRING) = '5.0'") == [("UA",)]
