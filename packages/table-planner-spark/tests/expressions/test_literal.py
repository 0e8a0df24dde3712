"""Constants as Spark SQL text."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_common.expressions import ValueLiteralExpression
from table_common.types import (
    BigIntType,
    BinaryType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    LogicalType,
    TimestampType,
    TinyIntType,
    VarCharType,
)
from table_planner_spark.expressions.literal import to_spark_literal


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (-128, TinyIntType(), -128),
        (-(2**63), BigIntType(), -(2**63)),
        (Decimal("-12.50"), DecimalType(4, 2), Decimal("-12.50")),
        (1e300, DoubleType(), 1e300),
        (
            'it\'s a \\ "quote" ${spark.app.name} {x} -- /* \n\t\x01 é😀',
            VarCharType(),
            'it\'s a \\ "quote" ${spark.app.name} {x} -- /* \n\t\x01 é😀',
        ),
        ("", VarCharType(), ""),
        (b"\x00\xff", BinaryType(2), b"\x00\xff"),
        (datetime.date(1, 1, 1), DateType(), datetime.date(1, 1, 1)),
        (-1_000, TimestampType(6), datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        (1, TimestampType(9), 1),
        (-1_500_000_000, DayTimeIntervalType(), datetime.timedelta(seconds=-1.5)),
        (None, VarCharType(), None),
    ],
)
def test_spark_reads_the_constant_that_was_written(spark: SparkSession, value: Any, type_: LogicalType, expected: Any) -> None:
    text = to_spark_literal(ValueLiteralExpression(value, type_))
    assert spark.range(1).selectExpr(text).toArrow().column(0).to_pylist() == [expected]
