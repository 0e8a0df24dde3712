import pickle
from datetime import datetime, timedelta

import pytest

from table_common.catalog import (
    CatalogMaterializedTable,
    IntervalFreshness,
    RefreshStatus,
    Schema,
    partition_of_time,
)
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("duration", "text"),
    [(60, "INTERVAL '1' MINUTE"), (90, "INTERVAL '90' SECOND"), (7200, "INTERVAL '2' HOUR"), (86400, "INTERVAL '1' DAY")],
)
def test_a_freshness_of_a_duration_has_the_largest_unit(duration: int, text: str) -> None:
    freshness = IntervalFreshness.of_duration(timedelta(seconds=duration))
    assert str(freshness) == text
    assert freshness.duration == timedelta(seconds=duration)


@pytest.mark.parametrize(("interval", "unit"), [(0, "SECOND"), (-1, "MINUTE"), (1, "MONTH"), (1, "YEAR")])
def test_a_freshness_is_positive_and_has_a_fixed_length(interval: int, unit: str) -> None:
    with pytest.raises(ValidationException, match="freshness"):
        IntervalFreshness(interval, unit)


@pytest.mark.parametrize(("interval", "unit"), [(1, "SECOND"), (30, "MINUTE"), (12, "HOUR"), (1, "DAY")])
def test_a_schedule_repeats_within_the_next_unit(interval: int, unit: str) -> None:
    IntervalFreshness(interval, unit).check_schedule("t")


@pytest.mark.parametrize(("interval", "unit"), [(60, "SECOND"), (7, "MINUTE"), (5, "HOUR"), (24, "HOUR"), (2, "DAY")])
def test_other_intervals_are_no_schedules(interval: int, unit: str) -> None:
    with pytest.raises(ValidationException, match="freshness of t cannot be") as caught:
        IntervalFreshness(interval, unit).check_schedule("t")
    assert "numbers of" in str(caught.value)


def test_a_table_is_pickled_with_its_handler() -> None:
    table = CatalogMaterializedTable(Schema.new_builder().column("a", "INT").build(), definition_query="SELECT 1 AS a")
    suspended = table.with_refresh(RefreshStatus.SUSPENDED, {"job": "x"})
    again = pickle.loads(pickle.dumps(suspended))
    assert again == suspended
    assert again.refresh_handler == {"job": "x"}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("yyyy-MM-dd", "2026-03-01"), ("yyyyMMddHHmmss", "20260301040506"), ("HH 'o''clock'", "04 oclock"), ("dd/MM", "01/03")],
)
def test_a_time_has_a_partition(pattern: str, text: str) -> None:
    assert partition_of_time(pattern, datetime(2026, 3, 1, 4, 5, 6)) == text


def test_a_pattern_with_other_letters_is_refused() -> None:
    with pytest.raises(ValidationException, match="'e' is not known"):
        partition_of_time("yyyy-e", datetime(2026, 3, 1))
