from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from table_common.arrow.from_python import build_column, columns_of
from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.types import IntType, RowType, parse_logical_type

PAIR = RowType.of([("a", IntType()), ("b", IntType())])


def test_rows_are_tuples_dicts_or_rows() -> None:
    assert columns_of([(1, 2), [3, 4], {"b": 6, "a": 5}, {"a": 7}, Row(8, 9), Row(b=11, a=10)], PAIR) == (
        [[1, 3, 5, 7, 8, 10], [2, 4, 6, None, 9, 11]],
        6,
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1,), "Row 2 has 1 values, but 2 columns are declared"),
        ({"c": 1}, "'c'"),
        (5, "Row 2 is 5 .class int.; a row is a tuple, a list, a Row or a dict"),
    ],
)
def test_a_row_of_another_form_is_refused_with_its_number(row: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        columns_of([(1, 2), row], PAIR)  # type: ignore[list-item]  # wrong on purpose


def test_a_value_that_does_not_fit_is_named_with_row_and_path() -> None:
    with pytest.raises(ValidationException, match=r"In column 'c', row 2.*'x'.*is not a value of INT"):
        build_column([[1], [2, "x"]], parse_logical_type("ARRAY<INT>"), "column 'c'")


@pytest.mark.parametrize("value", [True, 1.5, "1"])
def test_only_integers_are_values_of_int(value: object) -> None:
    with pytest.raises(ValidationException, match="is not a value of INT"):
        build_column([value], IntType(), "c")


def test_a_datetime_without_a_zone_is_an_instant_in_the_time_zone() -> None:
    array = build_column([datetime(1970, 1, 1, 9)], parse_logical_type("TIMESTAMP_LTZ(6)"), "c", ZoneInfo("Asia/Tokyo"))
    assert array.to_pylist() == [datetime(1970, 1, 1, tzinfo=UTC)]


def test_none_is_null_unless_the_type_refuses_it() -> None:
    assert build_column([None], IntType(), "c").null_count == 1
    with pytest.raises(ValidationException, match="NULL"):
        build_column([None], IntType(nullable=False), "c")
