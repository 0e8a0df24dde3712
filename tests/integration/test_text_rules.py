"""JSON and CSV return the same rows, or the same error, on both engines, according to ``text_rules``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from text_rules import CSV_TEXTS, CSV_VALUES, JSON_LINES, JSON_VALUES, REFUSED, CsvText

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException

MakeEnv = Callable[[str], TableEnvironment]

ENGINES = ["arrow", "spark"]
Values = dict[str, list[tuple[str, Any]]]
"""Texts and their values by type."""


def create(env: TableEnvironment, path: Path, format_: str, columns: str, name: str = "t", **options: str) -> None:
    more = "".join(f", '{format_}.{key}' = '{value}'" for key, value in options.items())
    env.execute_sql(
        f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}'{more})"
    )


def read(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()]


def lines_of(format_: str, texts: Sequence[tuple[int, str]], width: int) -> str:
    """Returns a file with a line for each (column, text): its number in the first column, NULL in the others."""
    if format_ == "json":
        return "".join(f'{{"k": {number}, "c{column}": {text}}}\n' for number, (column, text) in enumerate(texts))
    rows = [[str(number), *["~"] * column, text, *["~"] * (width - column - 1)] for number, (column, text) in enumerate(texts)]
    return "".join(",".join(row) + "\n" for row in rows)


def cases(values: Values, *, refused: bool) -> list[tuple[int, str, Any]]:
    return [
        (column, text, expected)
        for column, texts in enumerate(values.values())
        for text, expected in texts
        if (expected is REFUSED) == refused
    ]


def columns_of(values: Values) -> str:
    return ", ".join(["k INT", *(f"c{number} {type_}" for number, type_ in enumerate(values))])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("format_", "values"), [("json", JSON_VALUES), ("csv", CSV_VALUES)])
def test_texts_are_read_as_the_same_values(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str, values: Values) -> None:
    accepted = cases(values, refused=False)
    (tmp_path / "f").write_bytes(lines_of(format_, [(column, text) for column, text, _ in accepted], len(values)).encode())
    env = make_env(engine)
    create(env, tmp_path / "f", format_, columns_of(values), **({"null-literal": "~"} if format_ == "csv" else {}))
    rows = {row[0]: row[1:] for row in read(env, "SELECT * FROM t")}
    found = [(column, text, rows[number][column]) for number, (column, text, _) in enumerate(accepted)]
    assert found == accepted


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("format_", "values"), [("json", JSON_VALUES), ("csv", CSV_VALUES)])
def test_invalid_texts_are_null_if_errors_are_ignored(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str, values: Values) -> None:
    refused = cases(values, refused=True)
    (tmp_path / "f").write_bytes(lines_of(format_, [(column, text) for column, text, _ in refused], len(values)).encode())
    env = make_env(engine)
    options = {"ignore-parse-errors": "true"} | ({"null-literal": "~"} if format_ == "csv" else {})
    create(env, tmp_path / "f", format_, columns_of(values), **options)
    rows = {row[0]: row[1:] for row in read(env, "SELECT * FROM t")}
    assert [rows[number][column] for number, (column, _, _) in enumerate(refused)] == [None] * len(refused)


@pytest.mark.parametrize(("format_", "values"), [("json", JSON_VALUES), ("csv", CSV_VALUES)])
def test_invalid_texts_are_errors_that_name_file_line_and_column(make_env: MakeEnv, tmp_path: Path, format_: str, values: Values) -> None:
    env = make_env("arrow")
    types = list(values)
    for number, (column, text, _) in enumerate(cases(values, refused=True)):
        file = tmp_path / f"f{number}"
        file.write_text(f'{{}}\n{{"c": {text}}}\n' if format_ == "json" else f"~,1\n{text},2\n")
        create(env, file, format_, f"c {types[column]}, z INT", f"t{number}", **({"null-literal": "~"} if format_ == "csv" else {}))
        with pytest.raises(TableRuntimeException) as raised:
            read(env, f"SELECT * FROM t{number}")
        assert f"file '{file}', line 2, column 'c'" in str(raised.value).replace("line 2: column", "line 2, column"), (
            text,
            str(raised.value),
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_of_json_are_objects_or_arrays_of_them(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    env = make_env(engine)
    good = {line: rows for line, rows in JSON_LINES.items() if not isinstance(rows, str)}
    queries = []
    for number, line in enumerate(good):
        (tmp_path / f"f{number}").write_text(line + "\n")
        create(env, tmp_path / f"f{number}", "json", "m INT", f"t{number}")
        queries.append(f"SELECT {number} AS k, m FROM t{number}")
    found = sorted(read(env, " UNION ALL ".join(queries)), key=repr)
    assert found == sorted(((number, value) for number, rows in enumerate(good.values()) for value in rows), key=repr)


@pytest.mark.parametrize("engine", ENGINES)
def test_invalid_lines_of_json_are_skipped_if_errors_are_ignored(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    bad = [line for line, rows in JSON_LINES.items() if isinstance(rows, str)]
    (tmp_path / "f").write_text("\n".join(['{"m":7}', *bad, '{"m":8}']))
    env = make_env(engine)
    create(env, tmp_path / "f", "json", "m INT", **{"ignore-parse-errors": "true"})
    assert sorted(read(env, "SELECT m FROM t")) == [(7,), (8,)]


@pytest.mark.parametrize("line", [line for line, rows in JSON_LINES.items() if isinstance(rows, str)])
def test_invalid_lines_of_json_are_errors_that_name_file_and_line(make_env: MakeEnv, tmp_path: Path, line: str) -> None:
    file = tmp_path / "f"
    file.write_text(f'{{"m":7}}\n{line}\n{{"m":8}}\n')
    env = make_env("arrow")
    create(env, file, "json", "m INT")
    with pytest.raises(TableRuntimeException) as raised:
        read(env, "SELECT m FROM t")
    assert f"The JSON file '{file}', line 2: " in str(raised.value)
    assert str(JSON_LINES[line]) in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_of_csv_follow_one_grammar(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    env = make_env(engine)
    good = [case for case in CSV_TEXTS if not isinstance(case.expected, str)]
    queries = []
    for number, case in enumerate(good):
        (tmp_path / f"f{number}").write_bytes(case.text.encode())
        create(env, tmp_path / f"f{number}", "csv", "a STRING, b STRING", f"t{number}", **case.options)
        queries.append(f"SELECT {number} AS k, a, b FROM t{number}")
    found: list[list[tuple[Any, ...]]] = [[] for _ in good]
    for number, *row in read(env, " UNION ALL ".join(queries)):
        found[number].append(tuple(row))
    assert [(case.text, rows) for case, rows in zip(good, found, strict=True)] == [(case.text, case.expected) for case in good]


@pytest.mark.parametrize("case", [case for case in CSV_TEXTS if isinstance(case.expected, str)])
def test_invalid_records_of_csv_are_errors_that_name_file_and_line(make_env: MakeEnv, tmp_path: Path, case: CsvText) -> None:
    file = tmp_path / "f"
    file.write_bytes(case.text.encode())
    env = make_env("arrow")
    create(env, file, "csv", "a STRING, b STRING", **case.options)
    with pytest.raises(TableRuntimeException) as raised:
        read(env, "SELECT * FROM t")
    assert f"The CSV file '{file}', line " in str(raised.value)
    assert str(case.expected) in str(raised.value)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("csv", "1,a\nx,b\n"),
        ("csv", '1,"a\nb"\n2,"c\n3,d\n'),
        ("csv", '1,"[A1] b" c\n'),
        ("json", '{"id":1}\n{"id":[1]}\n'),
        ("json", '{"id":1}\n\n{"id":1}{"id":2}\n'),
    ],
)
def test_error_messages_are_the_same_on_both_engines(make_env: MakeEnv, tmp_path: Path, format_: str, text: str) -> None:
    (tmp_path / "f").write_text(text)
    told = []
    for engine in ENGINES:
        env = make_env(engine)
        create(env, tmp_path / "f", format_, "id INT, s STRING")
        with pytest.raises(TableRuntimeException) as raised:
            read(env, "SELECT * FROM t")
        told.append((str(raised.value), raised.value.hint))
    assert told[0] == told[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_timestamps_by_iso_8601_have_a_t(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    (tmp_path / "f").write_text('{"m":"2020-01-01T12:34"}\n{"m":"2020-01-01T12:34:56.5"}\n{"m":"2020-01-01 12:34:56"}\n')
    env = make_env(engine)
    create(env, tmp_path / "f", "json", "m TIMESTAMP(1)", **{"timestamp-format.standard": "ISO-8601", "ignore-parse-errors": "true"})
    assert sorted(read(env, "SELECT CAST(m AS STRING) FROM t"), key=repr) == [
        ("2020-01-01 12:34:00.0",),
        ("2020-01-01 12:34:56.5",),
        (None,),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_field_can_be_an_error(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    (tmp_path / "f").write_text('{"a":null}\n{"b":1}\n')
    env = make_env(engine)
    create(env, tmp_path / "f", "json", "a INT", **{"fail-on-missing-field": "true"})
    with pytest.raises(TableRuntimeException, match=r"line 2: the field 'a' is missing"):
        read(env, "SELECT a FROM t")


@pytest.mark.parametrize("format_", ["json", "csv"])
@pytest.mark.parametrize("writer", ENGINES)
def test_bytes_are_written_without_line_breaks(make_env: MakeEnv, tmp_path: Path, writer: str, format_: str) -> None:
    env = make_env(writer)
    create(env, tmp_path / "t", format_, "b BYTES")
    env.execute_sql(f"INSERT INTO t VALUES (x'{'00ff10' * 100}')").wait()
    (file,) = [file for file in (tmp_path / "t").iterdir() if not file.name.startswith(".")]
    assert file.read_text().count("\n") == 1
    assert read(env, "SELECT b FROM t") == [(bytes.fromhex("00ff10" * 100),)]


@pytest.mark.parametrize("writer", ENGINES)
def test_options_for_writing_have_the_same_effect(make_env: MakeEnv, tmp_path: Path, writer: str) -> None:
    env = make_env(writer)
    options = {"map-null-key.mode": "DROP", "encode.decimal-as-plain-number": "true"}
    columns = "m MAP<STRING, INT>, d DECIMAL(10, 9), n INT, ts TIMESTAMP(3)"
    create(
        env, tmp_path / "t", "json", columns, **options, **{"encode.ignore-null-fields": "true", "timestamp-format.standard": "ISO-8601"}
    )
    env.execute_sql(
        "INSERT INTO t VALUES (MAP['a', 1], CAST(0.000000001 AS DECIMAL(10, 9)), CAST(NULL AS INT), TIMESTAMP '2020-01-02 03:04:05.600')"
    ).wait()
    (file,) = [file for file in (tmp_path / "t").iterdir() if not file.name.startswith(".")]
    assert file.read_text() == '{"m":{"a":1},"d":0.000000001,"ts":"2020-01-02T03:04:05.6"}\n'


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("format_", ["json", "csv"])
def test_large_files_are_read_in_parts_with_every_row_once(make_env: MakeEnv, tmp_path: Path, engine: str, format_: str) -> None:
    lines = [f'{{"a":{n},"s":"{"x" * 90}"}}\n' if format_ == "json" else f"{n},{'x' * 90}\n" for n in range(100_000)]
    (tmp_path / "large").write_text("".join(lines))
    with gzip.open(tmp_path / "small.gz", "wt") as file:
        file.write(lines[7])
    env = make_env(engine)
    create(env, tmp_path, format_, "a INT, s STRING")
    query = "SELECT COUNT(*), SUM(CAST(a AS BIGINT)), COUNT(DISTINCT a), MIN(CHAR_LENGTH(s)) FROM t"
    assert read(env, query) == [(100_001, sum(range(100_000)) + 7, 100_000, 90)]


@pytest.mark.parametrize("format_", ["json", "csv"])
def test_an_error_in_a_part_of_a_large_file_names_its_line(make_env: MakeEnv, tmp_path: Path, format_: str) -> None:
    lines = [json.dumps({"a": n, "s": "x" * 90}) if format_ == "json" else f"{n},{'x' * 90}" for n in range(100_000)]
    lines[99_000] = '{"a":"y"}' if format_ == "json" else "y,x"
    (tmp_path / "large").write_text("\n".join(lines) + "\n")
    env = make_env("spark")
    create(env, tmp_path, format_, "a INT, s STRING")
    with pytest.raises(TableRuntimeException, match=r"line 99001, column 'a'"):
        read(env, "SELECT COUNT(a), COUNT(s) FROM t")
