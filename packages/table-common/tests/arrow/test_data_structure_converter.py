from __future__ import annotations

import array
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.data import (
    DataStructureConverter,
    DecimalData,
    GenericArrayData,
    GenericRowData,
    Row,
    RuntimeConverter,
    StringData,
    TimestampData,
)
from table_common.exceptions import ValidationException
from table_common.types import DataType, parse_logical_type


@dataclass
class Inner:
    moment: datetime


def converter(type_text: str, class_: type[Any] | None = None, **options: Any) -> DataStructureConverter:
    data_type = DataType(parse_logical_type(type_text))
    result = DataStructureConverter(data_type if class_ is None else data_type.bridged_to(class_), **options)
    result.open(RuntimeConverter.Context.empty())
    return result


def text(value: str) -> StringData:
    return StringData.from_string(value)


def decimal(value: str, precision: int, scale: int) -> DecimalData:
    result = DecimalData.from_big_decimal(Decimal(value), precision, scale)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("type_text", "external", "internal"),
    [
        ("DOUBLE", 1, 1.0),
        ("FLOAT", 0.1, 0.10000000149011612),
        ("DECIMAL(5, 2)", 7, decimal("7", 5, 2)),
        ("DECIMAL(5, 2)", Decimal("0E+50"), decimal("0", 5, 2)),
        ("DECIMAL(5, 2)", Decimal("7." + "0" * 200), decimal("7", 5, 2)),
        ("DECIMAL(5, 2)", decimal("7", 10, 0), decimal("7", 5, 2)),
        ("ARRAY<INT>", (1, 2), GenericArrayData([1, 2])),
        ("ARRAY<INT>", array.array("q", [1, 2]), GenericArrayData([1, 2])),
        ("ARRAY<DATE>", pa.array([date(1970, 1, 2), None]), GenericArrayData([1, None])),
        ("ARRAY<STRING>", pa.array(["a"], pa.large_string()), GenericArrayData([text("a")])),
        ("ROW<a INT, b STRING>", [1, "x"], GenericRowData.of(1, text("x"))),
        ("ROW<a INT, b STRING>", {"b": "x"}, GenericRowData.of(None, text("x"))),
        ("ROW<a INT, b STRING>", Row("x", 1), None),
        ("ROW<moment TIMESTAMP(3)>", Inner(datetime(1970, 1, 1)), GenericRowData.of(TimestampData.from_epoch_millis(0))),
    ],
)
def test_other_classes_are_taken_too(type_text: str, external: object, internal: object) -> None:
    convert = converter(type_text)
    if internal is None:
        with pytest.raises(ValidationException, match="In field 'a'"):
            convert.to_internal(external)
    else:
        assert convert.to_internal(external) == internal


def test_an_arrow_array_is_given_where_asked_for() -> None:
    result = converter("ARRAY<TIMESTAMP(9)>", pa.Array).to_external(GenericArrayData([TimestampData.from_epoch_millis(0, 1), None]))
    assert result.equals(pa.array([1, None], pa.timestamp("ns")))


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("ARRAY<INT>", pa.array(["x"]), "The array is declared as INT, but its data has the Arrow type string"),
    ],
)
def test_the_error_of_a_wrong_arrow_type_gives_the_reason(type_text: str, value: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        converter(type_text).to_internal(value)
