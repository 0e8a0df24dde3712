"""Columns of all types, constants, and conditions over both, for the property tests of push-down."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["FAMILIES", "Column", "columns_of", "conditions_over"]


@dataclass(frozen=True)
class Family:
    """Comparable types and constants of these types, as SQL."""

    columns: dict[str, tuple[str, ...]]
    """Values by type, without NULL."""
    constants: tuple[str, ...]
    forms: tuple[str, ...] = ()
    """Conditions in addition to the comparisons, which all types have."""


def cast(*values: str, to: str) -> tuple[str, ...]:
    return tuple(f"CAST({value} AS {to})" for value in values)


def text(*values: str, to: str) -> tuple[str, ...]:
    return cast(*(f"'{value}'" for value in values), to=to)


NINES = "9" * 20
NUMBERS = Family(
    {
        "TINYINT": ("-128", "127", "0", "1", "2"),
        "SMALLINT": ("-32768", "32767", "0", "1", "2"),
        "INT": ("-2147483648", "2147483647", "0", "1", "2", "16777217"),
        "BIGINT": ("-9223372036854775808", "9223372036854775807", "0", "1", "2", "9007199254740993"),
        "FLOAT": text("0.1", "-0.0", "NaN", "Infinity", "1", "16777216", "3.4028235E38", to="FLOAT"),
        "DOUBLE": text("0.1", "-0.0", "NaN", "-Infinity", "1", "9007199254740992", "1.7976931348623157E308", "1.4", to="DOUBLE"),
        "DECIMAL(5, 2)": ("-999.99", "999.99", "0", "1.40", "1.41", "1"),
        "DECIMAL(19, 0)": (f"'-{NINES[1:]}'", f"'{NINES[1:]}'", "0", "1", "9007199254740993"),
        "DECIMAL(38, 18)": (f"'{NINES}.{NINES[2:]}'", "0", "1.4", "1.400000000000000001", "1"),
        "DECIMAL(38, 38)": (f"'0.{NINES[2:]}{NINES}'", "0", "0.1", "-0.1"),
    },
    (
        *("0", "1", "-1", "2", "127", "128", "-129", "32768", "2147483648", "9223372036854775807", "9007199254740993"),
        *("1.4", "1.0", "1.40", "0.999", "1.405", "0.1", "-0.1", "999.99", "999.995", "1000", "9007199254740992.5"),
        *text("9223372036854775808", NINES + NINES[2:], to="DECIMAL(38, 0)"),
        *text(f"0.{NINES[2:]}{NINES}", to="DECIMAL(38, 38)"),
        *("1.400000000000000001", "CAST(1 AS DECIMAL(38, 37))", "CAST(1.0000000000000000000000000001 AS DECIMAL(38, 37))"),
        *("0e0", "-0e0", "1e0", "1.4e0", "0.1e0", "16777217e0", "9007199254740993e0", "9.223372036854775807e18", "1e300"),
        *text("0.1", "1", "NaN", "-Infinity", "16777216", to="FLOAT"),
        *text("NaN", "Infinity", to="DOUBLE"),
        *("CAST(1 AS TINYINT)", "CAST(1 AS BIGINT)", "CAST(NULL AS INT)"),
    ),
    ("CAST({c} AS {w}) = {a}", "CAST({c} AS {w}) < {a}", "CAST({c} AS {w}) IN ({a}, {b})", "CAST({c} AS DOUBLE) <= {a}"),
)
TEXTS = Family(
    {
        "CHAR(3)": ("'ab'", "'abc'", "''", "'a%'", "'Ab'"),
        "VARCHAR(3)": ("'ab'", "'abc'", "''", "'a_'", "'ab '"),
        "STRING": ("'ab'", "'abcd'", "''", "'äb'", "'zz%\\'", "'ab '"),
    },
    (
        "'ab'",
        "'ab '",
        "'abc'",
        "'abcd'",
        "''",
        "'äb'",
        "CAST('ab' AS CHAR(3))",
        "CAST('ab' AS VARCHAR(2))",
        "CAST(NULL AS STRING)",
        "'zz%\\'",
    ),
    (
        *("{c} LIKE 'ab'", "{c} LIKE 'ab%'", "{c} NOT LIKE '%b'", "{c} LIKE '%b%'", "NOT ({c} LIKE 'a_')", "{c} LIKE '%%'", "{c} LIKE ''"),
        *("{c} LIKE 'zz%\\'", "{c} LIKE 'a!%%' ESCAPE '!'", "{c} LIKE '%ä%'", "{c} LIKE '_%'", "{c} NOT LIKE CAST(NULL AS STRING)"),
        *("CAST({c} AS VARCHAR(9)) = {a}", "CAST({c} AS STRING) > {a}", "CAST({c} AS CHAR(4)) = {a}", "CAST({c} AS VARCHAR(1)) = {a}"),
    ),
)
BYTES = Family(
    {"BINARY(2)": ("x'00ff'", "x'6162'"), "VARBINARY(3)": ("x'00ff'", "x'616263'"), "BYTES": ("x'00ff41'", "x'6162'")},
    ("x'00ff'", "x'6162'", "x'616263'", "CAST(x'61' AS BINARY(2))", "CAST(NULL AS BYTES)"),
)
MOMENTS = (
    "1970-01-01 00:00:00",
    "2020-02-29 12:34:56",
    "2020-02-29 12:34:56.123",
    "2020-02-29 12:34:56.123456",
    "2020-02-29 12:34:56.123456789",
)
TIMESTAMPS = Family(
    {
        **{f"TIMESTAMP({p})": text(*MOMENTS, to=f"TIMESTAMP({p})") for p in (0, 3, 6, 9)},
        "TIMESTAMP_LTZ(3)": text(*MOMENTS, to="TIMESTAMP_LTZ(3)"),
        "TIMESTAMP_LTZ(6)": text(*MOMENTS, to="TIMESTAMP_LTZ(6)"),
    },
    (
        *(value for p in (0, 3, 6, 9) for value in text(*MOMENTS[1:], to=f"TIMESTAMP({p})")),
        *(f"TIMESTAMP '{moment}'" for moment in MOMENTS),
        *text(*MOMENTS[1:], to="TIMESTAMP_LTZ(6)"),
        "CAST(NULL AS TIMESTAMP(3))",
    ),
    (
        *("{c} = '2020-02-29 12:34:56.123'", "{c} > '2020-02-29'", "{c} BETWEEN '2020-02-29' AND '2020-03-01'"),
        "CAST({c} AS TIMESTAMP(9)) = {a}",
        "CAST({c} AS TIMESTAMP(0)) = {a}",
        "CAST({c} AS DATE) = DATE '2020-02-29'",
    ),
)
FAR_TIMESTAMPS = Family(
    {"TIMESTAMP(4)": text("0001-01-01 00:00:00", "9999-12-31 23:59:59.9999", "2020-02-29 12:34:56.1234", to="TIMESTAMP(4)")},
    (
        *text("0001-01-01 00:00:00", "9999-12-31 23:59:59.9999", "9999-12-31 23:59:59.999999", to="TIMESTAMP(6)"),
        *text("2020-02-29 12:34:56.123456", "2020-02-29 12:34:56.1234", to="TIMESTAMP(6)"),
    ),
    ("CAST({c} AS TIMESTAMP(6)) = {a}",),
)
"""Times outside the range of nanoseconds; constants have at most six fractional digits."""
DATES = Family(
    {"DATE": text("0001-01-01", "1970-01-01", "2020-02-29", "9999-12-31", to="DATE")},
    ("DATE '2020-02-29'", "DATE '0001-01-01'", "CAST(NULL AS DATE)", "CAST(TIMESTAMP '2020-02-29 12:00:00' AS DATE)"),
    (
        "{c} = '2020-02-29'",
        "CAST({c} AS TIMESTAMP(3)) = TIMESTAMP '2020-02-29 12:34:56'",
        "CAST({c} AS TIMESTAMP(0)) >= TIMESTAMP '2020-02-29 00:00:00'",
    ),
)
TIMES = Family(
    {f"TIME({p})": text("00:00:00", "12:34:56", "12:34:56.123", "23:59:59.999", to=f"TIME({p})") for p in (0, 3)},
    ("TIME '12:34:56'", "TIME '12:34:56.123'", "CAST('12:34:56.123' AS TIME(3))", "CAST(NULL AS TIME(0))"),
    ("{c} = '12:34:56'", "{c} < '12:34:56.2'"),
)
BOOLEANS = Family(
    {"BOOLEAN": ("TRUE", "FALSE")}, ("TRUE", "FALSE", "CAST(NULL AS BOOLEAN)"), ("{c}", "NOT {c}", "{c} IS NOT TRUE", "{c} IS FALSE")
)
WIDER = {
    "TINYINT": ("INT", "DECIMAL(3, 0)", "DECIMAL(10, 4)"),
    "SMALLINT": ("BIGINT", "DECIMAL(6, 1)"),
    "INT": ("BIGINT", "DECIMAL(38, 28)"),
    "BIGINT": ("DECIMAL(19, 0)", "DECIMAL(38, 19)"),
    "DECIMAL(5, 2)": ("DECIMAL(6, 2)", "DECIMAL(38, 35)"),
    "DECIMAL(19, 0)": ("DECIMAL(20, 1)", "DECIMAL(38, 19)"),
}
"""Lossless casts."""
FAMILIES = (NUMBERS, TEXTS, BYTES, TIMESTAMPS, FAR_TIMESTAMPS, DATES, TIMES, BOOLEANS)
FORMS = (
    *(
        "{c} = {a}",
        "{c} <> {a}",
        "{c} < {a}",
        "{c} <= {a}",
        "{c} > {a}",
        "{c} >= {a}",
        "{a} = {c}",
        "{a} < {c}",
        "{a} >= {c}",
        "{a} <> {c}",
    ),
    *("NOT ({c} = {a})", "NOT ({c} <> {a})", "NOT ({c} < {a})", "NOT ({c} >= {a})"),
    *("{c} IN ({a}, {b})", "{c} NOT IN ({a}, {b})", "{c} IN ({a}, {b}, NULL)", "{c} NOT IN ({a}, {b}, NULL)", "NOT ({c} IN ({a}))"),
    *("{c} BETWEEN {a} AND {b}", "{c} NOT BETWEEN {a} AND {b}", "{c} BETWEEN SYMMETRIC {b} AND {a}", "{a} BETWEEN {c} AND {b}"),
    *("{c} IS DISTINCT FROM {a}", "{c} IS NOT DISTINCT FROM {a}", "NOT ({c} IS DISTINCT FROM {a})"),
    *("{c} = {a} OR {c} > {b}", "{c} >= {a} AND {c} <> {b}", "NOT ({c} = {a} AND {c} < {b})", "NOT ({c} > {a} OR {c} IS NULL)"),
    *("({c} = {a}) IS NOT TRUE", "({c} < {a}) IS TRUE", "({c} < {a}) IS FALSE", "({c} <> {a}) IS NOT FALSE", "({c} = {a}) IS NULL"),
    *("CASE WHEN {c} = {a} THEN {c} > {b} ELSE TRUE END", "COALESCE({c} = {a}, TRUE)", "({c} = {a}) = ({c} = {b})"),
)


@dataclass(frozen=True)
class Column:
    """A column of a table of all types."""

    name: str
    type: str
    values: tuple[str, ...]
    family: Family


def columns_of(*without: str) -> list[Column]:
    """Returns a column for each type except the given ones."""
    pairs = [(type_, values, family) for family in FAMILIES for type_, values in family.columns.items()]
    return [Column(f"c{number}", *pair) for number, pair in enumerate(pairs) if pair[0] not in without]


def conditions_over(columns: Sequence[Column], draw: random.Random, each: int) -> Iterator[str]:
    """Yields some conditions for each pair of a column and a constant."""
    for column in columns:
        for constant in column.family.constants:
            for form in draw.sample((*FORMS, *column.family.forms), each):
                wider = draw.choice(WIDER.get(column.type, (column.type,)))
                yield form.format(c=column.name, a=constant, b=draw.choice(column.family.constants), w=wider)
