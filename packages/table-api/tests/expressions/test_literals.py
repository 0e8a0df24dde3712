from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from table_api.expressions.literals import literal_of
from table_common.data import NanosecondDatetime, NanosecondTime, NanosecondTimedelta
from table_common.exceptions import ValidationException
from table_common.types import DataType, DataTypes


@pytest.mark.parametrize(
    ("value", "data_type", "held"),
    [
        (None, "NULL", None),
        (True, "BOOLEAN NOT NULL", True),
        (2**31 - 1, "INT NOT NULL", 2**31 - 1),
        (-(2**31), "INT NOT NULL", -(2**31)),
        (2**31, "BIGINT NOT NULL", 2**31),
        (2**63, "DECIMAL(19, 0) NOT NULL", Decimal(2**63)),
        (1.5, "DOUBLE NOT NULL", 1.5),
        ("abc", "CHAR(3) NOT NULL", "abc"),
        (b"ab", "BINARY(2) NOT NULL", b"ab"),
        (Decimal("1.50"), "DECIMAL(3, 2) NOT NULL", Decimal("1.50")),
        (Decimal("0.05"), "DECIMAL(2, 2) NOT NULL", Decimal("0.05")),
        (Decimal("1E+2"), "DECIMAL(3, 0) NOT NULL", Decimal(100)),
        (datetime.date(2020, 1, 2), "DATE NOT NULL", datetime.date(2020, 1, 2)),
        (datetime.time(0, 0, 1), "TIME(0) NOT NULL", 1_000_000_000),
        (datetime.datetime(1970, 1, 1, 0, 0, 0, 500_000), "TIMESTAMP(1) NOT NULL", 500_000_000),
        (datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC), "TIMESTAMP_LTZ(0) NOT NULL", 86_400 * 10**9),
        (datetime.timedelta(milliseconds=1), "INTERVAL SECOND(3) NOT NULL", 1_000_000),
        (NanosecondTime(0, 0, 1, nanosecond=20), "TIME(8) NOT NULL", 1_000_000_020),
        (NanosecondDatetime(1970, 1, 1, nanosecond=5), "TIMESTAMP(9) NOT NULL", 5),
        (NanosecondDatetime(1970, 1, 2, tzinfo=datetime.UTC, nanosecond=5), "TIMESTAMP_LTZ(9) NOT NULL", 86_400 * 10**9 + 5),
        (NanosecondTimedelta(nanoseconds=-5), "INTERVAL SECOND(9) NOT NULL", -5),
    ],
)
def test_value_has_the_type_that_flink_gives_it(value: object, data_type: str, held: object) -> None:
    literal = literal_of(value)
    assert (str(literal.type), literal.value) == (data_type, held)


@pytest.mark.parametrize(
    ("value", "data_type", "held"),
    [
        (1, DataTypes.BIGINT(), 1),
        (1, DataTypes.DOUBLE(), 1.0),
        (Decimal("1.5"), DataTypes.DECIMAL(5, 2), Decimal("1.50")),
        ("ab", DataTypes.STRING(), "ab"),
        (NanosecondDatetime(1970, 1, 1, nanosecond=567), DataTypes.TIMESTAMP(8), 560),
        (datetime.time(0, 0, 1, 123456), DataTypes.TIME(3), 1_123_000_000),
        (None, DataTypes.INT(), None),
    ],
)
def test_value_is_converted_to_the_type_given(value: object, data_type: DataType, held: object) -> None:
    literal = literal_of(value, data_type)
    assert (literal.type, literal.value, str(literal.value)) == (data_type.logical_type, held, str(held))


@pytest.mark.parametrize(
    ("value", "data_type"),
    [
        (300, DataTypes.TINYINT()),
        ("abc", DataTypes.CHAR(2)),
        ("1", DataTypes.INT()),
        (True, DataTypes.INT()),
        (Decimal("1.234"), DataTypes.DECIMAL(3, 2)),
        (None, DataTypes.INT().not_null()),
    ],
)
def test_value_that_does_not_fit_the_type_is_refused(value: object, data_type: DataType) -> None:
    with pytest.raises(ValidationException, match="cannot be"):
        literal_of(value, data_type)


def test_class_without_a_sql_type_is_refused() -> None:
    with pytest.raises(ValidationException, match="class complex has no SQL type"):
        literal_of(1j)


def test_too_many_digits_are_refused() -> None:
    with pytest.raises(ValidationException, match="at most 38"):
        literal_of(10**38)
