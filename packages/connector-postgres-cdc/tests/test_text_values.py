"""Values of the log are those that a scan of the table has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from cdc_server import Scan, new_table, provider_of, run

from connector_postgres_cdc.text_values import array_elements
from table_common.exceptions import TableRuntimeException

TYPES = {
    "int2": ("SMALLINT", "'-32768'", "'7'"),
    "int4": ("BIGINT", "'-2147483648'", "'5'"),
    "int8": ("BIGINT", "'9223372036854775807'", "'0'"),
    "int4 ": ("DECIMAL(12, 2)", "'77'", "'-1'"),
    "float4": ("FLOAT", "'1.1'", "'NaN'", "'-Infinity'"),
    "float8": ("DOUBLE", "'1e-300'", "'NaN'", "'Infinity'", "'0.1'"),
    "numeric(12,3)": ("DECIMAL(12, 3)", "'123456789.123'", "'-0.001'"),
    "numeric(12,3) ": ("DECIMAL(12, 1)", "'1.250'", "'-1.250'", "'1.249'"),
    "numeric": ("DECIMAL(38, 18)", "'12345.678901234567890123456789'", "'1'"),
    "numeric ": ("DOUBLE", "'12345.5'", "'NaN'"),
    "bool": ("BOOLEAN", "'t'", "'f'"),
    "text": ("STRING", "'a\\b\"{},ü €'", "''"),
    "varchar(9)": ("VARCHAR(9)", "'abc'", "'  x '"),
    "char(5)": ("CHAR(5)", "'ab'", "'abcde'"),
    "bytea": ("BYTES", "'\\x00ff41'", "''"),
    "date": ("DATE", "'0001-01-01'", "'9999-12-31'", "'2024-02-29'"),
    "time": ("TIME(6)", "'23:59:59.999999'", "'00:00'"),
    "time(0)": ("TIME", "'12:34:56'"),
    "timestamp": ("TIMESTAMP(6)", "'2024-02-29 12:00:00.000001'", "'0001-01-01'"),
    "timestamp(3)": ("TIMESTAMP(3)", "'2024-02-29 12:00:00.123'"),
    "timestamptz": ("TIMESTAMP_LTZ(6)", "'2024-02-29 12:00:00.5+05:30'", "'1900-01-01 00:00:00+00'"),
    "uuid": ("STRING", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"),
    "jsonb": ("STRING", '\'{"b": [1, null], "a": "x"}\''),
    "jsonb ": ("VARIANT", '\'{"b": [1, null], "a": "x"}\''),
    "inet": ("STRING", "'10.0.0.1/8'", "'10.0.0.1'", "'::1'", "'fe80::/10'"),
    "inet[]": ("ARRAY<STRING>", "'{10.0.0.1,NULL,::1,10.0.0.0/8}'", "'{}'"),
    "cidr": ("STRING", "'10.0.0.0/8'", "'::1'"),
    "float4 ": ("DOUBLE", "'0.1'", "'NaN'", "'-Infinity'", "'3.4e38'"),
    "float4[]": ("ARRAY<DOUBLE>", "'{0.1,NULL,1e-45}'"),
    "interval": ("STRING", "'1 year 2 days 03:04:05.5'"),
    "interval ": ("INTERVAL DAY(6) TO SECOND(6)", "'2 days 03:04:05.5'", "'-1 day -00:00:01'", "'-00:00:01.5'"),
    "interval  ": ("INTERVAL YEAR TO MONTH", "'1 year 2 mons'", "'-3 mons'"),
    "int4[]": ("ARRAY<INT>", "'{1,NULL,-3}'", "'{}'"),
    "text[]": ("ARRAY<STRING>", "ARRAY['a,b', 'q\"x', 'b\\s', '', NULL, 'NULL', '{}']", "'{x}'"),
    "numeric(9,2)[]": ("ARRAY<DECIMAL(9, 2)>", "'{1.25,NULL}'"),
    "timestamptz[]": ("ARRAY<TIMESTAMP_LTZ(6)>", "'{\"2024-02-29 12:00:00+01\"}'"),
    "bool[]": ("ARRAY<BOOLEAN>", "'{t,f,NULL}'"),
}


def test_log_and_copy_have_the_same_values_of_each_type() -> None:
    rows = [
        ", ".join(("NULL" if index >= len(values) else values[index]) for _, *values in TYPES.values())
        for index in range(max(len(values) for values in TYPES.values()))
    ]
    require_equal({type_: sql for type_, (sql, *_) in TYPES.items()}, rows)


# Each is an expression of PostgreSQL with random values.
RANDOM = {
    "int4": ("BIGINT", "(random() * 4e9 - 2e9)::int4"),
    "float4": ("FLOAT", "((random() - 0.5) * 10 ^ (random() * 60 - 30))::float4"),
    "float4 ": ("DOUBLE", "((random() - 0.5) * 10 ^ (random() * 60 - 30))::float4"),
    "float8": ("DOUBLE", "(random() - 0.5) * 10 ^ (random() * 600 - 300)"),
    "float4[]": ("ARRAY<DOUBLE>", "ARRAY[random()::float4, NULL, random()::float4]"),
    "numeric(20,6)": ("DECIMAL(12, 2)", "((random() - 0.5) * 1e9)::numeric(20,6)"),
    "numeric": ("DOUBLE", "random()::numeric * 123456"),
    "inet": ("STRING", "('10.' || (random() * 255)::int || '.0.1/' || (random() * 32)::int)::inet"),
    "inet ": ("STRING", "(substr(md5(random()::text), 1, 4) || '::1/' || 120 + (random() * 8)::int)::inet"),
    "inet[]": ("ARRAY<STRING>", "ARRAY[('10.0.0.1/' || 30 + (random() * 2)::int)::inet, NULL]"),
    "timestamp": ("TIMESTAMP(3)", "timestamp '1600-01-01' + random() * interval '700 years'"),
    "timestamptz": ("TIMESTAMP_LTZ(6)", "timestamptz '1600-01-01 00:00:00Z' + random() * interval '700 years'"),
    "time": ("TIME(3)", "time '00:00' + random() * interval '86399 s'"),
    "interval": (
        "INTERVAL DAY(6) TO SECOND(6)",
        "justify_hours((random() - 0.5) * interval '9999 s') + interval '1 day' * (random() * 9 - 4)::int",
    ),
    "bytea": ("BYTES", "decode(md5(random()::text), 'hex')"),
    "text": ("STRING", "chr((random() * 60 + 32)::int) || chr((random() * 900 + 161)::int)"),
    "text[]": ("ARRAY<STRING>", "ARRAY[chr((random() * 90 + 32)::int), chr((random() * 30 + 1)::int), NULL]"),
    "uuid": ("STRING", "gen_random_uuid()"),
}


def test_log_and_copy_have_the_same_random_values() -> None:
    row = ", ".join(f"CASE WHEN random() < 0.9 THEN {value} END" for _, value in RANDOM.values())
    require_equal({type_: sql for type_, (sql, _) in RANDOM.items()}, [row] * 200)


def require_equal(types: Mapping[str, str], rows: Sequence[str]) -> None:
    """Fails unless the log has the same values of rows as a copy."""
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(types))
    declared = ", ".join(f"c{number} {sql}" for number, sql in enumerate(types.values()))
    table = new_table(f"id int PRIMARY KEY, {columns}")
    declared = f"id INT NOT NULL, {declared}"
    log = Scan(provider_of(table, declared))
    assert log.next() == []
    run(*(f"INSERT INTO {table} VALUES ({number}, {row})" for number, row in enumerate(rows)))
    changes = log.next()
    log.close()
    copy = Scan(provider_of(table, declared, slot__name=f"other_{table.partition('.')[0]}"))
    copied = sorted(copy.next(), key=lambda row: row[1])
    copy.close()
    assert len(changes) == len(rows)
    for change, row in zip(changes, copied, strict=True):
        for type_, changed, value in zip(("kind", "id", *types), change, row, strict=True):
            assert repr(changed) == repr(value), type_


@pytest.mark.parametrize(
    ("column", "declared", "value"),
    [
        ("date", "DATE", "'infinity'"),
        ("timestamp", "TIMESTAMP(6)", "'0044-03-15 BC'"),
        ("time", "TIME(6)", "'24:00'"),
        ("numeric", "DECIMAL(9, 2)", "'NaN'"),
        ("int4[]", "ARRAY<INT>", "'{{1,2},{3,4}}'"),
    ],
)
def test_values_without_counterpart_are_refused_with_their_column(column: str, declared: str, value: str) -> None:
    table = new_table(f"id int PRIMARY KEY, c {column}")
    scan = Scan(provider_of(table, f"id INT NOT NULL, c {declared}"))
    scan.next()
    run(f"INSERT INTO {table} VALUES (1, {value})")
    with pytest.raises(TableRuntimeException, match=f"Column 'c' of PostgreSQL's table '{table}'"):
        scan.next()
    scan.close()
    copy = Scan(provider_of(table, f"id INT NOT NULL, c {declared}", slot__name=f"copy_{table.partition('.')[0]}"))
    with pytest.raises(TableRuntimeException) as caught:
        copy.next()
    assert "view" not in (caught.value.hint or "")
    copy.close()


def test_elements_of_arrays() -> None:
    assert array_elements("{}") == []
    assert array_elements('[0:1]={1,"a\\"b"}') == ["1", 'a"b']
