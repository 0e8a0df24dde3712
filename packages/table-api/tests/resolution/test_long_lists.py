"""What is as long as a statement may be takes time in proportion: each of these took a minute or more."""

from __future__ import annotations

import time
from typing import Any

import pytest

from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement


def names(count: int) -> str:
    return ", ".join(f"c{number}" for number in range(count))


LONG = {
    "IN": lambda count: "SELECT 1 IN (" + ", ".join(map(str, range(count))) + ")",
    "ORDER BY": lambda count: "SELECT 1 FROM t ORDER BY " + ", ".join(f"age + {number}" for number in range(count // 3)),
    "columns of a table": lambda count: f"CREATE TABLE n ({names(count // 2).replace(',', ' INT,')} INT)",
    "fields of a row": lambda count: f"SELECT CAST(NULL AS ROW<{names(count // 2).replace(',', ' INT,')} INT>)",
    "names of columns": lambda count: f"SELECT 1 FROM (VALUES ({', '.join(['1'] * count)})) AS s ({names(count)})",
}


@pytest.mark.parametrize("shape", LONG)
def test_ten_times_as_much_takes_no_more_than_thirty_times_as_long(shape: str, session: Any) -> None:
    def seconds(count: int) -> float:
        text = LONG[shape](count)
        start = time.process_time()
        convert_statement(parse_statement(text), session, text)
        return time.process_time() - start

    seconds(100)
    assert seconds(30_000) < max(30 * seconds(3_000), 0.5)


def test_places_of_calls_are_not_looked_up_in_a_long_text_unless_there_is_an_error(session: Any) -> None:
    text = "SELECT " + " + ".join(["age"] * 3_000) + " FROM t " + "/*" + "x" * 10_000_000 + "*/"
    start = time.process_time()
    convert_statement(parse_statement(text), session, text)
    assert time.process_time() - start < 5
