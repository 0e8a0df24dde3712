"""Each type of PostgreSQL that has a counterpart is read as it and written back, with NULL; the others are refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from table_common.connector import ArrowSinkProvider, CommitContext, DynamicTableSink
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import Period
from table_testing import ConnectorCase, read_rows, write_rows

INSTANT = datetime(2020, 1, 1, 8, 0, 0, 123456, UTC)
TYPES: Sequence[tuple[str, str, str, Any]] = (
    ("int2", "TINYINT", "-7", -7),
    ("int2", "SMALLINT", "-7", -7),
    ("int4", "INT", "7", 7),
    ("int4", "BIGINT", "7", 7),
    ("int8", "BIGINT", str(1 << 62), 1 << 62),
    ("float4", "FLOAT", "1.5", 1.5),
    ("float8", "DOUBLE", "1e300", 1e300),
    ("bool", "BOOLEAN", "true", True),
    ("numeric(10,2)", "DECIMAL(10, 2)", "-1.50", Decimal("-1.50")),
    ("numeric", "DECIMAL(38, 18)", "12345678901234567890.5", Decimal("12345678901234567890.500000000000000000")),
    ("text", "STRING", "a'\\\"é", "a'\\\"é"),
    ("varchar(5)", "VARCHAR(5)", "abc", "abc"),
    ("char(3)", "CHAR(3)", "abc", "abc"),
    ("bytea", "BYTES", "\\x0001ff", b"\x00\x01\xff"),
    ("date", "DATE", "1969-12-31", date(1969, 12, 31)),
    ("time", "TIME(6)", "10:11:12.123456", time(10, 11, 12, 123456)),
    ("timestamp", "TIMESTAMP(6)", "1969-12-31 23:59:59.999999", datetime(1969, 12, 31, 23, 59, 59, 999999)),
    ("timestamptz", "TIMESTAMP_LTZ(6)", "2020-01-01 10:00:00.123456+02", INSTANT),
    ("uuid", "STRING", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("json", "STRING", '{"a": 1}', '{"a": 1}'),
    ("jsonb", "STRING", '{"a":1}', '{"a": 1}'),
    ("jsonb", "VARIANT", '{"b": [1.5, null, "é"], "a": {"": -0.1}}', '{"a":{"":-0.1},"b":[1.5,null,"é"]}'),
    ("jsonb[]", "ARRAY<VARIANT>", '{"{\\"a\\": 1}",NULL,"null"}', ['{"a":1}', None, "null"]),
    ("inet", "STRING", "10.0.0.1", "10.0.0.1/32"),
    ("interval", "INTERVAL DAY(6) TO SECOND(6)", "47:59:56.999999", timedelta(days=2, seconds=-3, microseconds=-1)),
    ("interval", "INTERVAL YEAR(4) TO MONTH", "-1 year -2 months", Period.of(-1, -2)),
    ("interval", "STRING", "1 mon 2 days", "1 mon 2 days"),
    ("int4[]", "ARRAY<INT>", "{1,NULL,3}", [1, None, 3]),
    ("text[]", "ARRAY<STRING>", '{a,"b,c"}', ["a", "b,c"]),
    ("numeric(5,1)[]", "ARRAY<DECIMAL(5, 1)>", "{1.5,NULL}", [Decimal("1.5"), None]),
    ("timestamptz[]", "ARRAY<TIMESTAMP_LTZ(6)>", '{"2020-01-01 10:00:00.123456+02"}', [INSTANT]),
)


def case_of(type_: str) -> ConnectorCase:
    class Case(ConnectorCase):
        factory = JdbcTableFactory
        schema: ClassVar[str] = f"id INT, v {type_}"

    return Case()


def options_of(table: str) -> dict[str, str]:
    return {"url": server_url(), "table-name": table}


@pytest.mark.parametrize(("stored", "type_", "text", "value"), TYPES, ids=[f"{stored} as {type_}" for stored, type_, _, _ in TYPES])
def test_a_type_is_read_and_written(stored: str, type_: str, text: str, value: Any) -> None:
    table = new_table(f"id int4, v {stored}", [(1, text), (2, None)])
    case = case_of(type_)
    rows = read_rows(case.source(options_of(table)), case.row_type)
    assert sorted(rows) == [(1, value), (2, None)]
    provider = case.sink(options_of(table)).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, case.row_type, [[(3, value), (4, None)]]))
    assert run(f"SELECT a.v::text = b.v::text FROM {table} a JOIN {table} b ON b.id = a.id + 2 WHERE a.id = 1") == [(True,)]
    assert run(f"SELECT count(*) FROM {table} WHERE id = 4 AND v IS NULL") == [(1,)]


def test_enums_and_domains_are_read_and_written() -> None:
    schema = new_table("id int4").partition(".")[0]
    run(f"CREATE TYPE {schema}.mood AS ENUM ('sad', 'glad')", f"CREATE DOMAIN {schema}.size AS int4 CHECK (VALUE > 0)")
    run(f"CREATE TABLE {schema}.t (id {schema}.size, v {schema}.mood)", f"INSERT INTO {schema}.t VALUES (1, 'sad')")
    case = case_of("STRING")
    options = options_of(f"{schema}.t")
    assert read_rows(case.source(options), case.row_type) == [(1, "sad")]
    provider = case.sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, case.row_type, [[(2, "glad")]]))
    assert run(f"SELECT v::text FROM {schema}.t WHERE id = 2") == [("glad",)]


@pytest.mark.parametrize("stored", ["point", "money", "timetz", "bit(3)", "int4range", "tsvector"])
def test_a_type_without_counterpart_is_refused_by_name(stored: str) -> None:
    table = new_table(f"id int4, v {stored}")
    with pytest.raises(ValidationException, match="has other types for v") as caught:
        case_of("STRING").source(options_of(table))
    assert stored.partition("(")[0] in str(caught.value) or "time with time zone" in str(caught.value)
    assert 'CAST("v" AS text)' in (caught.value.hint or "")


@pytest.mark.parametrize("type_", ["MAP<STRING, INT>", "ROW<a INT>", "MULTISET<INT>", "ARRAY<ARRAY<INT>>"])
def test_a_type_that_postgresql_lacks_is_refused(type_: str) -> None:
    with pytest.raises(ValidationException, match="which PostgreSQL has no type for"):
        case_of(type_).source(options_of(new_table("id int4, v text")))


def test_json_that_is_no_jsonb_is_a_variant_of_the_last_of_equal_keys() -> None:
    case = case_of("VARIANT")
    table = new_table("id int4, v json", [(1, '{"a": 1, "a" : 2.50, "b":"\\u0000"}'), (2, "1e400")])
    assert read_rows(case.source(options_of(table)), case.row_type) == [(1, '{"a":2.5,"b":"\\u0000"}'), (2, '"Infinity"')]


def test_json_that_is_nested_too_deep_for_a_variant_is_an_error_that_names_the_column() -> None:
    case = case_of("VARIANT")
    source = case.source(options_of(new_table("id int4, v jsonb", [(1, "[" * 501 + "]" * 501)])))
    with pytest.raises(TableRuntimeException, match=r"Column 'v' of PostgreSQL's table .* more than 500 levels deep"):
        read_rows(source, case.row_type)


def test_a_variant_in_a_text_column_is_refused_with_the_type_to_declare() -> None:
    with pytest.raises(ValidationException, match="has other types for v") as caught:
        case_of("VARIANT").source(options_of(new_table("id int4, v text")))
    assert "declare v as STRING" in (caught.value.hint or "")


def test_the_table_to_create_for_a_variant_has_a_jsonb_column() -> None:
    with pytest.raises(ValidationException) as caught:
        case_of("VARIANT").source(options_of("nowhere"))
    assert '"v" jsonb' in (caught.value.hint or "")


def test_the_error_of_another_type_shows_both_schemas() -> None:
    with pytest.raises(ValidationException, match="has other types for v") as caught:
        case_of("INT").source(options_of(new_table("id int4, v text")))
    lines = [line.split() for line in str(caught.value).splitlines()]
    assert ["v", "INT", "v", "text"] in lines
    assert "declare v as STRING" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("stored", "type_", "text"),
    [
        ("date", "DATE", "infinity"),
        ("timestamp", "TIMESTAMP(6)", "-infinity"),
        ("timestamptz", "TIMESTAMP_LTZ(6)", "20000-01-01"),
        ("date[]", "ARRAY<DATE>", "{2020-01-01,NULL,infinity}"),
        ("timestamptz[]", "ARRAY<TIMESTAMP_LTZ(6)>", "{-infinity}"),
        ("time", "TIME(6)", "24:00:00"),
        ("time[]", "ARRAY<TIME(6)>", "{24:00:00}"),
        ("numeric", "DECIMAL(10, 2)", "NaN"),
        ("int2", "TINYINT", "300"),
        ("interval", "INTERVAL DAY TO SECOND(3)", "1 month"),
        ("interval", "INTERVAL YEAR TO MONTH", "1 day"),
    ],
)
def test_a_value_that_the_type_cannot_hold_is_an_error_that_names_the_column(stored: str, type_: str, text: str) -> None:
    case = case_of(type_)
    source = case.source(options_of(new_table(f"id int4, v {stored}", [(1, text)])))
    with pytest.raises(TableRuntimeException, match=r"Column 'v' of PostgreSQL's table"):
        read_rows(source, case.row_type)


@pytest.mark.parametrize(
    ("stored", "type_", "text", "expected"),
    [
        ("timestamp", "TIMESTAMP(3)", "1969-12-31 23:59:59.999999", datetime(1969, 12, 31, 23, 59, 59, 999000)),
        ("timestamp", "TIMESTAMP(0)", "0001-01-01 00:00:00.9", datetime(1, 1, 1)),
        ("timestamptz", "TIMESTAMP_LTZ(1)", "1969-12-31 23:59:59.99+00", datetime(1969, 12, 31, 23, 59, 59, 900000, UTC)),
        ("time", "TIME(2)", "23:59:59.999999", time(23, 59, 59, 990000)),
        ("timestamp[]", "ARRAY<TIMESTAMP(3)>", "{NULL,1969-12-31 23:59:59.9999}", [None, datetime(1969, 12, 31, 23, 59, 59, 999000)]),
        ("time[]", "ARRAY<TIME(0)>", "{23:59:59.9}", [time(23, 59, 59)]),
    ],
)
def test_times_are_read_with_the_digits_that_are_declared(stored: str, type_: str, text: str, expected: Any) -> None:
    case = case_of(type_)
    source = case.source(
        options_of(new_table(f"id int4, v {stored}", [(1, None), (2, text), (3, None), (4, text)])) | {"scan.fetch-size": "3"}
    )
    assert read_rows(source, case.row_type) == [(1, None), (2, expected), (3, None), (4, expected)]


def test_an_array_of_two_dimensions_is_an_error() -> None:
    case = case_of("ARRAY<INT>")
    source = case.source(options_of(new_table("id int4, v int4[]", [(1, "{{1,2},{3,4}}")])))
    with pytest.raises(TableRuntimeException, match="column v holds an array with this number of dimensions: 2"):
        read_rows(source, case.row_type)


def test_a_text_with_nul_is_an_error_that_names_column_and_row() -> None:
    case = case_of("STRING")
    provider = case.sink(options_of(new_table("id int4, v text"))).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    with pytest.raises(TableRuntimeException, match=r"Column 'v' of .* with the character NUL in row 1"):
        write_rows(provider, case.row_type, [[(1, "a\0b")]])


def test_a_text_that_is_too_long_fails_the_commit_and_changes_nothing() -> None:
    table = new_table("id int4, v varchar(3)")
    case = case_of("STRING")
    provider = case.sink(options_of(table)).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    messages = write_rows(provider, case.row_type, [[(1, "abc"), (2, "abcd")]])
    with pytest.raises(TableRuntimeException, match="value too long for type character varying"):
        provider.create_committer(CommitContext("job")).commit(messages)
    assert run(f"SELECT count(*) FROM {table}") == [(0,)]
