"""The partitions between two refreshes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from sql_client.refresh_window import partitions_of_window
from table_common.catalog import CatalogMaterializedTable, Schema
from table_common.configuration import time_zone_of


def partitions(since: datetime, until: datetime, zone: tzinfo = UTC, **patterns: str) -> list[tuple[str, ...]] | None:
    options = {f"partition.fields.{column}.date-formatter": pattern for column, pattern in patterns.items()}
    found = partitions_of_window(CatalogMaterializedTable(Schema.new_builder().build(), options=options), since, until, zone)
    return None if found is None else [tuple(values.values()) for values in found]


def at(day: int, hour: int = 0, minute: int = 0, month: int = 3) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def test_a_table_without_patterns_is_refreshed_as_a_whole() -> None:
    assert partitions(at(1), at(2)) is None


@pytest.mark.parametrize(
    ("since", "until", "days"),
    [
        (at(1, 3), at(1, 4), ["01"]),
        (at(1, 23, 59), at(2, 0, 1), ["01", "02"]),
        (at(1), at(4), ["01", "02", "03", "04"]),
        (at(1), at(1), ["01"]),
        (at(2), at(1), ["01"]),
    ],
)
def test_each_day_of_the_window_is_a_partition(since: datetime, until: datetime, days: list[str]) -> None:
    assert partitions(since, until, d="dd") == [(day,) for day in days]


def test_several_columns_change_together() -> None:
    assert partitions(at(1, 22, 30), at(2, 0, 30), d="yyyy-MM-dd", h="HH") == [
        ("2026-03-01", "22"),
        ("2026-03-01", "23"),
        ("2026-03-02", "00"),
    ]


def test_days_are_those_of_the_time_zone_also_when_one_is_shorter() -> None:
    zone = time_zone_of("Europe/Berlin")
    assert partitions(at(28, 22, 30), at(29, 22, 30), zone, d="dd") == [("28",), ("29",), ("30",)]


def test_no_partition_of_a_time_zone_of_half_hours_is_missed() -> None:
    assert partitions(at(1, 0, 20), at(1, 1, 40), time_zone_of("Asia/Kolkata"), h="HH") == [("05",), ("06",), ("07",)]


def test_very_many_partitions_are_one_refresh() -> None:
    assert partitions(at(1), at(1) + timedelta(days=101), d="yyyy-MM-dd") is None
    assert partitions(at(1), at(1) + timedelta(days=1), s="yyyy-MM-dd HH:mm:ss") is None
