"""Values of from_elements get the declared scale; rows can be expressions."""

from __future__ import annotations

import decimal
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

import pytest

from table_api import DataTypes
from table_api.common import Instant, Row
from table_api.expressions import col, lit, row
from table_api.python_data.element_values import cells_of_row_expression, scaled, scaled_columns
from table_common.types import DataType

DECIMAL = DataTypes.DECIMAL(10, 2)
PAIR = DataTypes.ROW([DataTypes.FIELD("d", DECIMAL), DataTypes.FIELD("n", DataTypes.INT())])


class Pair(NamedTuple):
    n: int
    d: Decimal


class Other(NamedTuple):
    x: Decimal
    y: int


@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (Decimal("1.245"), DECIMAL, Decimal("1.25")),
        (Decimal("-1.245"), DECIMAL, Decimal("-1.25")),
        (Decimal("1.2"), DECIMAL, Decimal("1.2")),
        (Decimal("NaN"), DECIMAL, None),
        (5, DECIMAL, 5),
        (None, DECIMAL, None),
        ([Decimal("0.005"), None], DataTypes.ARRAY(DECIMAL), [Decimal("0.01"), None]),
        ({"a": Decimal("0.005")}, DataTypes.MAP(DataTypes.STRING(), DECIMAL), {"a": Decimal("0.01")}),
        ((Decimal("0.005"), "x"), DataTypes.ROW([DECIMAL, DataTypes.STRING()]), (Decimal("0.01"), "x")),
        (Row(Decimal("0.005"), 1), PAIR, (Decimal("0.01"), 1)),
        (Row(n=1, d=Decimal("0.005")), PAIR, {"n": 1, "d": Decimal("0.01")}),
        ({"d": Decimal("0.005")}, PAIR, {"d": Decimal("0.01")}),
        (Pair(1, Decimal("0.005")), PAIR, {"n": 1, "d": Decimal("0.01")}),
        (Other(Decimal("0.005"), 1), PAIR, (Decimal("0.01"), 1)),
        (datetime(2020, 1, 1, 5), DataTypes.DATE(), date(2020, 1, 1)),
        (Instant(1, 0), DataTypes.TIMESTAMP_LTZ(3), Instant(1, 0).to_datetime()),
        (Decimal("1.245"), DataTypes.DOUBLE(), Decimal("1.245")),
    ],
)
def test_decimals_are_rounded_half_up(value: object, data_type: DataType, expected: object) -> None:
    result = scaled(value, data_type.logical_type)
    assert result == expected or (expected is None and str(result) == str(value))


def test_rounding_does_not_depend_on_the_context_of_the_process() -> None:
    value = Decimal("1234567890123456789012345678901234567.85")
    with decimal.localcontext(decimal.Context(prec=3, rounding=decimal.ROUND_DOWN)):
        assert scaled(value, DataTypes.DECIMAL(38, 1).logical_type) == Decimal("1234567890123456789012345678901234567.9")


def test_rows_without_decimals_are_not_copied() -> None:
    rows = [(1, "a")]
    assert scaled_columns(rows, [DataTypes.INT().logical_type, DataTypes.STRING().logical_type]) is rows
    assert scaled_columns([(Decimal("0.005"),)], [DECIMAL.logical_type]) == [[Decimal("0.01")]]


def test_cells_of_rows_that_are_expressions() -> None:
    cells = cells_of_row_expression(row(1, col("a")))
    assert cells is not None
    assert [str(cell) for cell in cells] == ["1", "a"]
    assert cells_of_row_expression(lit(1)) is None
    assert cells_of_row_expression((1, 2)) is None
