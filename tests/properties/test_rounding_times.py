"""FLOOR of a date or time to a unit is the last boundary not after it, CEIL the first boundary not before it: all units, types and zones.

Expected values are computed with Python's calendar, on nanoseconds since 1970.
"""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment

NANOS = {"HOUR": 3_600_000_000_000, "MINUTE": 60_000_000_000, "SECOND": 1_000_000_000, "MILLISECOND": 1_000_000}
DAY = 86_400_000_000_000
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1_200, "MILLENNIUM": 12_000}
UNITS = [*NANOS, "DAY", "WEEK", *MONTHS]
ARROW_UNITS = {0: "s", 3: "ms", 6: "us", 9: "ns"}
PER_UNIT = {unit: 10 ** (9 - digits) for digits, unit in ARROW_UNITS.items()}
ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "America/Sao_Paulo"]
MOMENTS = [
    "2020-01-01",
    "2000-01-01",
    "2001-01-01",
    "1901-01-01",
    "2020-04-01",
    "2020-02-29",
    "2019-12-31",
    "2020-03-01",
    "2020-01-05",
    "1970-01-01",
]
# Hours that occur twice or not at all in local time: New York 2020-11-01, Sao Paulo 2018-11-04 and 2018-02-18.
INSTANTS = [
    "2020-11-01 05:30:30",
    "2020-11-01 06:30:30",
    "2018-11-04 03:00:00",
    "2018-11-04 03:00:01",
    "2018-02-18 02:30:00",
    "2018-02-18 03:00:00",
]


def start_of(local: int, unit: str) -> int:
    """Returns the last boundary that is not after a local time."""
    if unit in NANOS:
        return local // NANOS[unit] * NANOS[unit]
    day = date(1970, 1, 1) + timedelta(days=local // DAY)
    if unit == "WEEK":
        day -= timedelta(days=day.isoweekday() % 7)
    elif unit != "DAY":
        shift = 12 if unit in ("CENTURY", "MILLENNIUM") else 0
        month = (day.year * 12 + day.month - 1 - shift) // MONTHS[unit] * MONTHS[unit] + shift
        day = date(month // 12, month % 12 + 1, 1)
    return (day - date(1970, 1, 1)).days * DAY


def next_of(start: int, unit: str) -> int:
    """Returns the boundary after a boundary."""
    if unit in MONTHS:
        day = date(1970, 1, 1) + timedelta(days=start // DAY)
        month = day.year * 12 + day.month - 1 + MONTHS[unit]
        return (date(month // 12, month % 12 + 1, 1) - date(1970, 1, 1)).days * DAY
    return start + {**NANOS, "DAY": DAY, "WEEK": 7 * DAY}[unit]


def rounded(value: int, unit: str, zone: ZoneInfo | None) -> tuple[int, int]:
    """Returns FLOOR and CEIL of nanoseconds since 1970; with a zone, of an instant."""
    if zone is None:
        down = start_of(value, unit)
        return down, value if down == value else next_of(down, unit)
    offset = offset_of(value, zone)
    start = start_of(value + offset, unit)
    if unit in NANOS:  # in the offset of the value
        down, up = start - offset, next_of(start, unit) - offset
    else:
        down, up = instant_of(start, zone), instant_of(next_of(start, unit), zone)
    return down, value if down == value else up


def offset_of(instant: int, zone: ZoneInfo) -> int:
    moment = datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC")) + timedelta(microseconds=instant // 1000)
    return nanos(moment.astimezone(zone).utcoffset())


def instant_of(local: int, zone: ZoneInfo) -> int:
    return local - nanos((datetime(1970, 1, 1) + timedelta(microseconds=local // 1000)).replace(tzinfo=zone).utcoffset())


def nanos(interval: timedelta | None) -> int:
    assert interval is not None
    return interval // timedelta(microseconds=1) * 1000


def values(generator: random.Random, digits: int) -> list[int]:
    """Returns times on boundaries, next to them and elsewhere, with this number of fractional digits."""
    exact = [nanos(datetime.fromisoformat(text) - datetime(1970, 1, 1)) for text in (*MOMENTS, *INSTANTS)]
    step = 10 ** (9 - digits)
    near = [moment + sign * step for moment in exact for sign in (-1, 1)]
    first, last = (nanos(datetime(year, 1, 1) - datetime(1970, 1, 1)) for year in (1910, 2200))
    return [*exact, *near, *(generator.randrange(first, last) // step * step for _ in range(20))]


@pytest.fixture(params=["arrow", "spark"])
def env(request: pytest.FixtureRequest) -> TableEnvironment:
    external = {"spark": request.getfixturevalue("spark")} if request.param == "spark" else {}
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(request.param).build()
    return TableEnvironment.create(settings, external=external)


def in_nanos(column: pa.ChunkedArray) -> list[int]:
    """Returns a column of results as nanoseconds since 1970."""
    factor = DAY if pa.types.is_date32(column.type) else PER_UNIT[column.type.unit]
    days_or_ticks = column.cast(pa.int32() if factor == DAY else pa.int64()).to_pylist()
    return [value * factor for value in days_or_ticks]


def check(env: TableEnvironment, moments: list[int], type_: pa.DataType, zone: ZoneInfo | None = None) -> None:
    """Compares FLOOR and CEIL to every unit with the expected values."""
    is_date, is_finest = pa.types.is_date32(type_), type_ in (pa.timestamp("ns"), pa.timestamp("ns", "UTC"))
    # A DATE has no hours, and year 3001 is out of range for nanoseconds.
    units = [unit for unit in UNITS if not ((is_date and unit in NANOS) or (is_finest and unit == "MILLENNIUM"))]
    factor = DAY if is_date else PER_UNIT[type_.unit]
    column = pa.array([moment // factor for moment in moments], pa.int32() if is_date else pa.int64()).cast(type_)
    env.create_temporary_view("t", env.from_arrow(pa.table({"v": column})))
    calls = [f"{function}(v TO {unit}) AS {function}_{unit}" for unit in units for function in ("FLOOR", "CEIL")]
    found = env.execute_sql(f"SELECT v, {', '.join(calls)} FROM t").to_arrow()
    assert in_nanos(found["v"]) == moments
    for unit in units:
        expected = [rounded(moment, unit, zone) for moment in moments]
        for place, function in enumerate(("FLOOR", "CEIL")):
            results = zip(moments, in_nanos(found[f"{function}_{unit}"]), [pair[place] for pair in expected], strict=True)
            wrong = [(moment, result, right) for moment, result, right in results if result != right]
            assert not wrong, f"{function} TO {unit} in {zone}: {wrong[:3]}"


@pytest.mark.parametrize("digits", [0, 3, 6, 9])
def test_timestamps(env: TableEnvironment, digits: int, seed: int) -> None:
    check(env, values(random.Random(seed + digits), digits), pa.timestamp(ARROW_UNITS[digits]))


@pytest.mark.parametrize("digits", [3, 9])
@pytest.mark.parametrize("zone", ZONES)
def test_instants(env: TableEnvironment, zone: str, digits: int, seed: int) -> None:
    env.get_config().set("table.local-time-zone", zone)
    check(env, values(random.Random(seed + digits), digits), pa.timestamp(ARROW_UNITS[digits], "UTC"), ZoneInfo(zone))


def test_dates(env: TableEnvironment, seed: int) -> None:
    check(env, sorted({moment // DAY * DAY for moment in values(random.Random(seed), 0)}), pa.date32())
