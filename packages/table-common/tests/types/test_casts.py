"""The casts that Flink 2.3 takes and refuses, as its conformance cases show them, and the rules of nullability."""

from __future__ import annotations

import pytest

from table_common.types import parse_logical_type
from table_common.types.casts import supports_avoiding_cast, supports_explicit_cast, supports_implicit_cast

TAKEN = {
    "BOOLEAN": "BOOLEAN|SMALLINT|INT|DOUBLE|CHAR(4)|VARCHAR(6)|STRING|DECIMAL(7, 2)",
    "TINYINT": "BOOLEAN|TINYINT|INT|BIGINT|FLOAT|CHAR(4)|VARCHAR(6)|INTERVAL MONTH",
    "SMALLINT": "SMALLINT|INT|FLOAT|DOUBLE|CHAR(4)|STRING",
    "INT": "BOOLEAN|TINYINT|SMALLINT|INT|DECIMAL(8, 1)|VARCHAR(6)|STRING|INTERVAL MONTH",
    "BIGINT": "TINYINT|INT|DOUBLE|VARCHAR(6)",
    "FLOAT": "BOOLEAN|SMALLINT|INT|STRING|DECIMAL(8, 1)",
    "DOUBLE": "TINYINT|BIGINT|FLOAT|DOUBLE|CHAR(4)|BOOLEAN",
    "DECIMAL(10, 3)": "BOOLEAN|FLOAT|DOUBLE|DECIMAL(8, 1)|CHAR(4)|VARCHAR(6)|STRING|SMALLINT",
    "CHAR(2)": "BOOLEAN|TINYINT|INT|BIGINT|FLOAT|DECIMAL(8, 1)|BINARY(4)|BYTES|DATE|TIME|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|CHAR(3)",
    "STRING": "BOOLEAN|FLOAT|DOUBLE|VARCHAR(6)|BINARY(4)|BYTES|DATE|TIMESTAMP(3)",
    "BINARY(2)": "CHAR(4)|VARCHAR(6)|STRING|BINARY(4)|VARBINARY(3)",
    "DATE": "CHAR(4)|VARCHAR(6)|TIMESTAMP_LTZ(3)|TIMESTAMP(3)",
    "TIME(0)": "CHAR(4)|VARCHAR(6)|STRING|TIME|TIMESTAMP(1)",
    "TIMESTAMP(3)": "VARCHAR(6)|STRING|TIME|DATE|TIMESTAMP(9)|TIMESTAMP_LTZ(3)",
    "TIMESTAMP_LTZ(3)": "CHAR(4)|STRING|TIME|TIMESTAMP(1)|DATE",
    "INTERVAL YEAR TO MONTH": "INTERVAL MONTH|STRING",
    "INTERVAL DAY TO SECOND": "VARCHAR(6)|STRING",
    "ARRAY<INT NOT NULL>": "VARCHAR(6)|STRING|ARRAY<STRING>|ARRAY<DOUBLE>",
    "MAP<CHAR(1), INT>": "CHAR(4)|STRING|MAP<STRING, BIGINT>",
    "ROW<f0 INT, f1 CHAR(1)>": "CHAR(4)|VARCHAR(6)|ROW<a BIGINT, b STRING>",
    "NULL": "BOOLEAN|TINYINT|DECIMAL(8, 1)|CHAR(4)|BYTES|DATE|TIMESTAMP(1)|INTERVAL MONTH|INTERVAL DAY TO SECOND|ARRAY<STRING>",
}

REFUSED = {
    "BOOLEAN": "BYTES|DATE|TIMESTAMP(1)|INTERVAL MONTH|INTERVAL DAY TO SECOND|ARRAY<STRING>",
    "TINYINT": "BINARY(4)|DATE|TIME|INTERVAL DAY TO SECOND|ARRAY<STRING>|MAP<STRING, BIGINT>|MULTISET<INT>",
    "SMALLINT": "BINARY(4)|BYTES|DATE|TIMESTAMP_LTZ(3)|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>|ROW<a BIGINT, b STRING>",
    "INT": "DATE|TIME|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>",
    "BIGINT": "DATE|TIME|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>|ROW<a BIGINT, b STRING>|MULTISET<INT>",
    "FLOAT": "BINARY(4)|DATE|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|INTERVAL DAY TO SECOND|ARRAY<STRING>|ROW<a BIGINT, b STRING>",
    "DOUBLE": "BINARY(4)|BYTES|DATE|TIME|INTERVAL MONTH|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>|MULTISET<INT>",
    "DECIMAL(10, 3)": "BINARY(4)|TIME|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|MAP<STRING, BIGINT>|ROW<a BIGINT, b STRING>|MULTISET<INT>",
    "CHAR(2)": "INTERVAL MONTH|INTERVAL DAY TO SECOND|ARRAY<STRING>|MAP<STRING, BIGINT>",
    "STRING": "INTERVAL DAY TO SECOND|ARRAY<STRING>|ROW<a BIGINT, b STRING>",
    "BINARY(2)": "BOOLEAN|FLOAT|DECIMAL(8, 1)|DATE|TIME|TIMESTAMP(1)|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>|MULTISET<INT>",
    "DATE": "TINYINT|SMALLINT|INT|FLOAT|DECIMAL(8, 1)|BINARY(4)|TIME|INTERVAL MONTH|ARRAY<STRING>|MULTISET<INT>",
    "TIME(0)": "BOOLEAN|TINYINT|INT|BIGINT|DOUBLE|DECIMAL(8, 1)|BINARY(4)|BYTES|INTERVAL MONTH|ROW<a BIGINT, b STRING>",
    "TIMESTAMP(3)": "TINYINT|BIGINT|BINARY(4)|BYTES|INTERVAL MONTH|INTERVAL DAY TO SECOND|MAP<STRING, BIGINT>|MULTISET<INT>",
    "TIMESTAMP_LTZ(3)": "SMALLINT|INT|BIGINT|FLOAT|DECIMAL(8, 1)|BINARY(4)|BYTES|INTERVAL MONTH|ARRAY<STRING>|MULTISET<INT>",
    "INTERVAL YEAR TO MONTH": "BOOLEAN|TINYINT|INT|DECIMAL(8, 1)|BYTES|DATE|TIMESTAMP_LTZ(3)|INTERVAL DAY TO SECOND|ARRAY<STRING>",
    "INTERVAL DAY TO SECOND": "BOOLEAN|TINYINT|INT|FLOAT|DECIMAL(8, 1)|BYTES|DATE|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|INTERVAL MONTH",
    "ARRAY<INT NOT NULL>": "BOOLEAN|TINYINT|INT|DOUBLE|DECIMAL(8, 1)|BINARY(4)|BYTES|TIME|TIMESTAMP(1)|ROW<a BIGINT, b STRING>|MULTISET<INT>",
    "MAP<CHAR(1), INT>": "TINYINT|SMALLINT|DATE|TIMESTAMP(1)|TIMESTAMP_LTZ(3)|ROW<a BIGINT, b STRING>|MULTISET<INT>",
    "ROW<f0 INT, f1 CHAR(1)>": "BOOLEAN|SMALLINT|BIGINT|FLOAT|DOUBLE|BYTES|DATE|TIMESTAMP(1)|INTERVAL MONTH|ARRAY<STRING>|ROW<a INT>",
    "VARIANT": "INT|DOUBLE|STRING",
}


def pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(source, target) for source, targets in table.items() for target in targets.split("|")]


@pytest.mark.parametrize(("source", "target"), pairs(TAKEN))
def test_an_explicit_cast_is_taken(source: str, target: str) -> None:
    assert supports_explicit_cast(parse_logical_type(source), parse_logical_type(target))


@pytest.mark.parametrize(("source", "target"), pairs(REFUSED))
def test_an_explicit_cast_is_refused(source: str, target: str) -> None:
    assert not supports_explicit_cast(parse_logical_type(source), parse_logical_type(target))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("TINYINT", "BIGINT"),
        ("INT", "DOUBLE"),
        ("BIGINT", "FLOAT"),
        ("BIGINT", "DECIMAL(20, 0)"),
        ("DECIMAL(10, 2)", "DOUBLE"),
        ("FLOAT", "DOUBLE"),
        ("CHAR(3)", "VARCHAR(3)"),
        ("VARCHAR(3)", "STRING"),
        ("BINARY(3)", "BYTES"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP(3)"),
        ("NULL", "ARRAY<INT>"),
        ("INT NOT NULL", "INT"),
        ("ARRAY<INT NOT NULL>", "ARRAY<BIGINT>"),
        ("ROW<a INT>", "ROW<b BIGINT>"),
        ("MAP<CHAR(1), INT>", "MAP<STRING, BIGINT>"),
    ],
)
def test_an_implicit_cast_loses_nothing(source: str, target: str) -> None:
    assert supports_implicit_cast(parse_logical_type(source), parse_logical_type(target))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("BIGINT", "INT"),
        ("DOUBLE", "FLOAT"),
        ("DOUBLE", "DECIMAL(10, 2)"),
        ("STRING", "INT"),
        ("INT", "STRING"),
        ("INT", "BOOLEAN"),
        ("STRING", "CHAR(3)"),
        ("DATE", "TIME"),
        ("INT", "INT NOT NULL"),
        ("ARRAY<INT>", "ARRAY<INT NOT NULL>"),
        ("ROW<a INT>", "ROW<a INT, b INT>"),
        ("INTERVAL DAY", "INTERVAL MONTH"),
        ("RAW('a', 'b')", "RAW('a', 'c')"),
    ],
)
def test_a_cast_that_can_lose_something_is_not_implicit(source: str, target: str) -> None:
    assert not supports_implicit_cast(parse_logical_type(source), parse_logical_type(target))


@pytest.mark.parametrize(
    ("source", "target", "avoidable"),
    [
        ("INT", "INT", True),
        ("INT NOT NULL", "INT", True),
        ("INT", "INT NOT NULL", False),
        ("INT", "BIGINT", False),
        ("CHAR(2)", "VARCHAR(3)", True),
        ("VARCHAR(2)", "CHAR(3)", False),
        ("VARCHAR(5)", "VARCHAR(3)", False),
        ("BINARY(2)", "VARBINARY(2)", True),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", False),
        ("ROW<a INT NOT NULL>", "ROW<b INT>", True),
        ("ARRAY<CHAR(1)>", "ARRAY<STRING>", True),
        ("ARRAY<INT>", "MULTISET<INT>", False),
        ("MAP<CHAR(1), INT>", "MAP<STRING, INT>", True),
        ("STRUCTURED<'a', x INT>", "STRUCTURED<'b', x INT>", False),
    ],
)
def test_a_cast_is_avoided_where_the_values_stay_as_they_are(source: str, target: str, avoidable: bool) -> None:
    assert supports_avoiding_cast(parse_logical_type(source), parse_logical_type(target)) is avoidable
