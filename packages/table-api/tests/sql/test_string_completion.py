from __future__ import annotations

from collections.abc import Iterable

import pytest

from table_api.sql.string_completion import complete_string, open_string


class _Names:
    def session_keys(self) -> Iterable[str]:
        return ("table.exec.timeout", "pipeline.name")

    def session_values(self, key: str) -> Iterable[str]:
        return (f"value of {key}",)

    def table_keys(self, options: dict[str, str]) -> Iterable[str]:
        return ("connector", "path", "format", *(f"{options['format']}.header" for _ in range(1) if "format" in options))

    def table_values(self, options: dict[str, str], key: str) -> Iterable[str]:
        return {"connector": ("filesystem", "datagen")}.get(key, ())

    def paths(self, typed: str) -> Iterable[str]:
        return ("data/", "x.csv")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("SELECT 'a", 7),
        ("SELECT 'it''s", 7),
        ("SELECT 'a' || '", 14),
        ("SELECT 'a'", None),
        ("SELECT `a'b` -- it's\n", None),
        ("SELECT 1 -- it's", None),
        ("SELECT `a'", None),
        ("SELECT 1 /* it's", None),
    ],
)
def test_a_string_that_is_open_is_found(text: str, position: int | None) -> None:
    assert open_string(text) == position


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET '", ["pipeline.name", "table.exec.timeout"]),
        ("RESET 'tab", ["table.exec.timeout"]),
        ("SELECT 1; SET 'pipeline.name' = '", ["value of pipeline.name"]),
        ("CREATE TABLE t (a INT) WITH ('", ["connector", "format", "path"]),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', '", ["format", "path"]),
        ("CREATE TABLE t (a INT) WITH ('format' = 'csv', 'csv", ["csv.header"]),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'd", ["datagen"]),
        ("CREATE TABLE t (a INT) WITH ('path' = '", ["data/", "x.csv"]),
        ("ALTER TABLE t SET ('con", ["connector"]),
        ("SELECT * FROM '", ["data/", "x.csv"]),
        ("SELECT * FROM a JOIN 'x", ["x.csv"]),
        ("SELECT * FROM read_csv('x", ["x.csv"]),
        ("SELECT * FROM t WHERE a = '", []),
        ("SELECT UPPER('", []),
    ],
)
def test_strings_are_completed_by_their_place(text: str, expected: list[str]) -> None:
    quote = open_string(text)
    assert quote is not None
    assert complete_string(text, quote, _Names()) == expected
