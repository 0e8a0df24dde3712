"""Local times of instants, and instants of local times, in zones with rules: as Python's own zones give them, in every year."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from table_runtime.casts import from_local, to_local

ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata"]
YEARS = [(1990, 2037), (2037, 2039), (2038, 2500), (2500, 9998)]


def moments(years: tuple[int, int]) -> list[datetime]:
    """Returns random moments of the years, with microseconds."""
    seed = 14
    print(f"seed {seed}")
    generator = random.Random(seed)
    first, last = (datetime(year, 1, 2) for year in years)
    return [first + timedelta(microseconds=generator.randrange((last - first) // timedelta(microseconds=1))) for _ in range(200)]


@pytest.mark.parametrize("years", YEARS)
@pytest.mark.parametrize("zone", ZONES)
def test_the_local_time_of_an_instant(zone: str, years: tuple[int, int]) -> None:
    instants = moments(years)
    expected = [moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) for moment in instants]
    assert to_local(pa.array(instants, pa.timestamp("us", "UTC")), zone).to_pylist() == expected


@pytest.mark.parametrize("years", YEARS)
@pytest.mark.parametrize("zone", ZONES)
def test_the_instant_of_a_local_time(zone: str, years: tuple[int, int]) -> None:
    local = moments(years)
    expected = [moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) for moment in local]
    assert from_local(pa.array(local, pa.timestamp("us")), zone).to_pylist() == expected


def test_a_single_late_value() -> None:
    value = pa.scalar(datetime(2090, 7, 1, tzinfo=UTC), pa.timestamp("s", "UTC"))
    assert to_local(value, "America/New_York").as_py() == datetime(2090, 6, 30, 20)


def test_null_beside_late_values() -> None:
    values = pa.array([None, datetime(2090, 7, 1)], pa.timestamp("ms", "UTC"))
    assert to_local(values, "America/New_York").to_pylist() == [None, datetime(2090, 6, 30, 20)]


def test_years_that_datetime_does_not_have() -> None:
    seconds_per_cycle = 146_097 * 86_400
    july_2100 = 4_118_083_200
    values = pa.array([july_2100 + 40 * seconds_per_cycle], pa.timestamp("s", "UTC"))
    assert to_local(values, "America/New_York").cast(pa.int64()).to_pylist() == [july_2100 + 40 * seconds_per_cycle - 4 * 3_600]
