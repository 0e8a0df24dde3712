"""Result types as Flink 2.3's conformance cases show them."""

from __future__ import annotations

import pytest

from table_common.types import DecimalType, LogicalType, parse_logical_type
from table_common.types.merging import (
    decimal_average_type,
    decimal_division_type,
    decimal_modulo_type,
    decimal_multiplication_type,
    decimal_plus_type,
    decimal_rounding_type,
    decimal_sum_type,
    find_common_type,
)

ARITHMETIC = [
    # left, right: sum, product, quotient, remainder
    ((10, 0), (10, 0), (11, 0), (21, 0), (21, 11), (10, 0)),
    ((10, 0), (3, 3), (14, 3), (14, 3), (19, 6), (3, 3)),
    ((10, 0), (38, 18), (38, 17), (38, 7), (38, 10), (28, 18)),
    ((20, 10), (10, 0), (21, 10), (31, 10), (31, 21), (20, 10)),
    ((20, 10), (3, 3), (21, 10), (24, 13), (27, 14), (10, 10)),
    ((20, 10), (38, 18), (38, 17), (38, 7), (38, 10), (28, 18)),
    ((20, 10), (5, 2), (21, 10), (26, 12), (28, 16), (13, 10)),
    ((3, 3), (10, 0), (14, 3), (14, 3), (14, 14), (3, 3)),
    ((3, 3), (20, 10), (21, 10), (24, 13), (34, 24), (10, 10)),
    ((3, 3), (38, 0), (38, 3), (38, 3), (38, 38), (3, 3)),
    ((3, 3), (38, 18), (38, 17), (38, 17), (38, 20), (18, 18)),
    ((3, 3), (5, 2), (7, 3), (9, 5), (11, 9), (3, 3)),
    ((38, 0), (10, 0), (38, 0), (38, 0), (38, 6), (10, 0)),
    ((38, 0), (3, 3), (38, 3), (38, 3), (38, 6), (3, 3)),
    ((38, 0), (5, 2), (38, 2), (38, 2), (38, 6), (5, 2)),
    ((38, 18), (10, 0), (38, 17), (38, 7), (38, 18), (28, 18)),
    ((38, 18), (3, 3), (38, 17), (38, 17), (38, 15), (18, 18)),
    ((38, 18), (38, 0), (38, 6), (38, 6), (38, 18), (38, 18)),
    ((38, 18), (5, 2), (38, 17), (38, 14), (38, 16), (21, 18)),
    ((5, 2), (10, 0), (13, 2), (16, 2), (16, 13), (5, 2)),
    ((5, 2), (20, 10), (21, 10), (26, 12), (36, 23), (13, 10)),
    ((5, 2), (3, 3), (7, 3), (9, 5), (12, 6), (3, 3)),
    ((5, 2), (38, 18), (38, 17), (38, 14), (38, 17), (21, 18)),
    ((10, 0), (2, 1), (12, 1), (13, 1), (17, 6), (2, 1)),
]


@pytest.mark.parametrize(("left", "right", "plus", "times", "divided", "remainder"), ARITHMETIC)
def test_decimal_arithmetic_has_the_digits_of_flink(
    left: tuple[int, int],
    right: tuple[int, int],
    plus: tuple[int, int],
    times: tuple[int, int],
    divided: tuple[int, int],
    remainder: tuple[int, int],
) -> None:
    a, b = DecimalType(*left), DecimalType(*right)
    results = [rule(a, b) for rule in (decimal_plus_type, decimal_multiplication_type, decimal_division_type, decimal_modulo_type)]
    assert [(r.precision, r.scale) for r in results] == [plus, times, divided, remainder]


@pytest.mark.parametrize(
    ("given", "total", "average"),
    [((10, 0), (38, 0), (38, 6)), ((38, 18), (38, 18), (38, 18)), ((3, 3), (38, 3), (38, 6)), ((5, 2), (38, 2), (38, 6))],
)
def test_decimal_aggregates_have_the_digits_of_flink(given: tuple[int, int], total: tuple[int, int], average: tuple[int, int]) -> None:
    type_ = DecimalType(*given, nullable=False)
    assert decimal_sum_type(type_) == DecimalType(*total, nullable=False)
    assert decimal_average_type(type_) == DecimalType(*average, nullable=False)


@pytest.mark.parametrize(
    ("given", "digits", "rounded"),
    [((20, 10), 1, (12, 1)), ((5, 2), 2, (5, 2)), ((5, 2), 9, (5, 2)), ((5, 2), -1, (4, 0)), ((38, 0), -3, (38, 0))],
)
def test_rounding_adds_one_integer_digit(given: tuple[int, int], digits: int, rounded: tuple[int, int]) -> None:
    result = decimal_rounding_type(DecimalType(*given), digits)
    assert (result.precision, result.scale) == rounded


@pytest.mark.parametrize(
    ("types", "common"),
    [
        (["INT NOT NULL", "DECIMAL(2, 1) NOT NULL"], "DECIMAL(11, 1) NOT NULL"),
        (["CHAR(1)", "CHAR(3)"], "VARCHAR(3)"),
        (["CHAR(3)", "CHAR(3)"], "CHAR(3)"),
        (["VARCHAR(2)", "CHAR(5)"], "VARCHAR(5)"),
        (["CHAR(5)", "STRING"], "STRING"),
        (["BINARY(1)", "BINARY(2)"], "VARBINARY(2)"),
        (["DECIMAL(2, 1)", "DOUBLE"], "DOUBLE"),
        (["DECIMAL(10, 2)", "DECIMAL(5, 4)"], "DECIMAL(12, 4)"),
        (["INT", "DECIMAL(5, 2)"], "DECIMAL(12, 2)"),
        (["BIGINT", "DECIMAL(38, 30)"], "DECIMAL(38, 19)"),
        (["TINYINT", "BIGINT"], "BIGINT"),
        (["FLOAT", "DECIMAL(10, 2)"], "DOUBLE"),
        (["DECIMAL(10, 2)", "FLOAT"], "DOUBLE"),
        (["BIGINT", "FLOAT"], "FLOAT"),
        (["INT", "DOUBLE"], "DOUBLE"),
        (["FLOAT", "DOUBLE"], "DOUBLE"),
        (["NULL", "INT NOT NULL"], "INT"),
        (["INT NOT NULL", "INT"], "INT"),
        (["TIMESTAMP(0)", "TIMESTAMP(6)"], "TIMESTAMP(6)"),
        (["TIMESTAMP(3)", "TIMESTAMP_LTZ(0)"], "TIMESTAMP_LTZ(3)"),
        (["DATE", "TIMESTAMP(3)"], "TIMESTAMP(3)"),
        (["TIME(0)", "TIME(3)"], "TIME(3)"),
        (["INTERVAL DAY", "INTERVAL HOUR"], "INTERVAL DAY(2) TO HOUR"),
        (["INTERVAL SECOND(3)", "INTERVAL SECOND(3)"], "INTERVAL SECOND(3)"),
        (["INTERVAL HOUR TO MINUTE", "INTERVAL SECOND(3)"], "INTERVAL HOUR TO SECOND(6)"),
        (["INTERVAL YEAR", "INTERVAL MONTH"], "INTERVAL YEAR(2) TO MONTH"),
        (["ARRAY<INT NOT NULL>", "ARRAY<DECIMAL(2, 1) NOT NULL>"], "ARRAY<DECIMAL(11, 1) NOT NULL>"),
        (["MAP<CHAR(1) NOT NULL, INT>", "MAP<CHAR(1) NOT NULL, DECIMAL(2, 1)>"], "MAP<CHAR(1) NOT NULL, DECIMAL(11, 1)>"),
        (["ROW<a INT, b CHAR(1)>", "ROW<x INT, y CHAR(3)>"], "ROW<`a` INT, `b` VARCHAR(3)>"),
        (["MULTISET<INT>", "MULTISET<BIGINT>"], "MULTISET<BIGINT>"),
        (["STRUCTURED<'c', a INT>", "STRUCTURED<'c', a BIGINT>"], "STRUCTURED<'c', `a` BIGINT>"),
        (["BOOLEAN", "BOOLEAN NOT NULL"], "BOOLEAN"),
        (["NULL", "ARRAY<INT>", "NULL", "ARRAY<BIGINT>"], "ARRAY<BIGINT>"),
    ],
)
def test_several_types_have_the_common_type_of_flink(types: list[str], common: str) -> None:
    assert str(found([*types])) == common


@pytest.mark.parametrize(
    "types",
    [
        ["INT", "CHAR(1)"],
        ["BOOLEAN", "INT"],
        ["TIME(0)", "DATE"],
        ["INTERVAL DAY", "INTERVAL MONTH"],
        ["NULL", "NULL"],
        ["ARRAY<INT>", "ARRAY<STRING>"],
        ["ROW<a INT>", "ROW<a INT, b INT>"],
        ["STRUCTURED<'c', a INT>", "STRUCTURED<'d', a INT>"],
        ["RAW('a', 'b')", "RAW('a', 'c')"],
        ["INT", "ROW<a INT>"],
    ],
)
def test_some_types_have_nothing_in_common(types: list[str]) -> None:
    assert found(types) is None


def found(types: list[str]) -> LogicalType | None:
    return find_common_type([parse_logical_type(text) for text in types])
