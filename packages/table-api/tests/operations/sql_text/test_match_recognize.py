"""MATCH_RECOGNIZE as SQL."""

from __future__ import annotations

from typing import Any

import pytest

from table_api.operations import QueryOperation
from table_api.operations.sql_text import query_text
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement

INPUT = "(SELECT name, age, TIMESTAMP '2020-01-01 00:00:00' AS ts FROM t)"


@pytest.fixture
def text(session: Any) -> Any:
    """Returns the clauses of a MATCH_RECOGNIZE as they are printed."""

    def run(clauses: str) -> list[str]:
        query = f"SELECT * FROM {INPUT} MATCH_RECOGNIZE ({clauses})"
        operation = convert_statement(parse_statement(query), session, query)
        assert isinstance(operation, QueryOperation)
        printed = query_text(operation)
        return printed.partition("MATCH_RECOGNIZE (\n")[2].partition("\n) AS")[0].splitlines()

    return run


def test_each_clause_is_on_its_line(text: Any) -> None:
    clauses = (
        "PARTITION BY name ORDER BY ts, age DESC MEASURES FIRST(x.age, 1) AS f, LAST(y.age, 2) AS l, y.age AS a, COUNT(*) AS n "
        "AFTER MATCH SKIP TO LAST y PATTERN (x y{2,3}? z+ w) WITHIN INTERVAL '1' HOUR DEFINE x AS x.age > 1, z AS age < x.age"
    )
    assert text(clauses) == [
        "PARTITION BY `name`",
        "ORDER BY `ts`, `age` DESC",
        "MEASURES FIRST(`x`.`age`, 1) AS `f`, LAST(`y`.`age`, 2) AS `l`, `y`.`age` AS `a`, COUNT(*) AS `n`",
        "ONE ROW PER MATCH",
        "AFTER MATCH SKIP TO LAST `y`",
        "PATTERN (`x` `y`{2,3}? `z`+ `w`) WITHIN INTERVAL '1' HOUR",
        "DEFINE `x` AS `x`.`age` > 1, `z` AS `age` < `x`.`age`",
    ]


def test_a_pattern_without_definitions_defines_its_first_variable(text: Any) -> None:
    assert text("ORDER BY ts MEASURES x.age AS a PATTERN (x y) DEFINE x AS TRUE")[-1] == "DEFINE `x` AS TRUE"


def test_the_time_of_a_match_is_a_function(text: Any) -> None:
    measures = text("ORDER BY ts MEASURES MATCH_ROWTIME() AS t, MATCH_PROCTIME() AS p PATTERN (x) DEFINE x AS x.age > 1")[1]
    assert measures == "MEASURES MATCH_ROWTIME() AS `t`, MATCH_PROCTIME() AS `p`"


def test_an_aggregate_is_over_the_rows_of_its_variable(text: Any) -> None:
    measures = text("ORDER BY ts MEASURES SUM(x.age + 1) AS s, MAX(age) AS m PATTERN (x) DEFINE x AS x.age > 1")[1]
    assert measures == "MEASURES SUM((`x`.`age` + 1)) AS `s`, MAX(`age`) AS `m`"
