from __future__ import annotations

import pytest

from table_common.types import Period


@pytest.mark.parametrize(("months", "text"), [(14, "+1-02"), (-14, "-1-02"), (0, "+0-00"), (-1, "-0-01"), (70000, "+5833-04")])
def test_a_period_prints_years_and_months_with_its_sign(months: int, text: str) -> None:
    assert str(Period(months)) == text


def test_years_and_months_carry_the_sign() -> None:
    period = Period(-14)
    assert (period.years, period.months) == (-1, -2)


def test_a_period_is_built_from_years_and_months() -> None:
    assert Period.of(1, 2) == Period(14)


def test_periods_are_ordered_by_length() -> None:
    assert Period(-1) < Period(0) < Period(12)
