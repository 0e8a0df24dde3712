from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import DayTimeIntervalType, DayTimeResolution, LogicalType, YearMonthIntervalType, YearMonthResolution


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (YearMonthIntervalType(), "INTERVAL YEAR(2) TO MONTH"),
        (YearMonthIntervalType(YearMonthResolution.MONTH), "INTERVAL MONTH"),
        (YearMonthIntervalType(YearMonthResolution.YEAR, 4, nullable=False), "INTERVAL YEAR(4) NOT NULL"),
        (DayTimeIntervalType(), "INTERVAL DAY(2) TO SECOND(6)"),
        (DayTimeIntervalType(DayTimeResolution.SECOND, 2, 3), "INTERVAL SECOND(3)"),
        (DayTimeIntervalType(DayTimeResolution.HOUR_TO_MINUTE), "INTERVAL HOUR TO MINUTE"),
    ],
)
def test_an_interval_prints_the_precisions_of_its_fields(type_: LogicalType, text: str) -> None:
    assert str(type_) == text


@pytest.mark.parametrize("precision", [0, 5])
def test_years_have_one_to_four_digits(precision: int) -> None:
    with pytest.raises(ValidationException, match=f"from 1 to 4, but got {precision}"):
        YearMonthIntervalType(YearMonthResolution.YEAR, precision)


@pytest.mark.parametrize("precision", [0, 7])
def test_days_have_one_to_six_digits(precision: int) -> None:
    with pytest.raises(ValidationException, match=f"from 1 to 6, but got {precision}"):
        DayTimeIntervalType(DayTimeResolution.DAY, precision)


@pytest.mark.parametrize("precision", [-1, 10])
def test_seconds_have_zero_to_nine_fractional_digits(precision: int) -> None:
    with pytest.raises(ValidationException, match=f"from 0 to 9, but got {precision}"):
        DayTimeIntervalType(DayTimeResolution.SECOND, 2, precision)
