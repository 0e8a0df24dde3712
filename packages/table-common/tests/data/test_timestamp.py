from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.data import NanosecondDatetime, TimestampData
from table_common.exceptions import TableRuntimeException, ValidationException


def test_get_millisecond() -> None:
    assert TimestampData.from_epoch_millis(-5, 7).get_millisecond() == -5


def test_get_nano_of_millisecond() -> None:
    assert TimestampData.from_epoch_millis(-5, 7).get_nano_of_millisecond() == 7


def test_to_timestamp() -> None:
    assert TimestampData.from_epoch_millis(1, 2000).to_timestamp() == datetime(1970, 1, 1, 0, 0, 0, 1002)


def test_to_local_date_time() -> None:
    assert TimestampData.from_epoch_millis(-1, 999_000).to_local_date_time() == datetime(1969, 12, 31, 23, 59, 59, 999999)


@pytest.mark.parametrize("nanos", [1, 999, 999_999])
def test_to_local_date_time_never_cuts_nanoseconds(nanos: int) -> None:
    value = TimestampData.from_epoch_millis(-1, nanos)
    assert TimestampData.from_local_date_time(value.to_local_date_time()) == value


@pytest.mark.parametrize("millis", [253_402_300_800_000, -62_135_596_800_001, 2**63 - 1, -(2**63)])
def test_to_local_date_time_refuses_years_outside_of_1_to_9999(millis: int) -> None:
    with pytest.raises(TableRuntimeException, match="the years 1 to 9999"):
        TimestampData.from_epoch_millis(millis).to_local_date_time()


def test_to_instant() -> None:
    assert TimestampData.from_epoch_millis(0).to_instant() == datetime(1970, 1, 1, tzinfo=UTC)


def test_to_instant_never_cuts_nanoseconds() -> None:
    assert str(TimestampData.from_epoch_millis(0, 1).to_instant()) == "1970-01-01 00:00:00.000000001+00:00"


def test_from_epoch_millis() -> None:
    assert TimestampData.from_epoch_millis(5) == TimestampData.from_epoch_millis(5, 0)


@pytest.mark.parametrize(("millis", "nanos"), [(0, 1_000_000), (0, -1), (2**63, 0), (-(2**63) - 1, 0)])
def test_from_epoch_millis_refuses_numbers_out_of_range(millis: int, nanos: int) -> None:
    with pytest.raises(ValidationException, match=r"0 to 999999|64 bits"):
        TimestampData.from_epoch_millis(millis, nanos)


def test_from_timestamp() -> None:
    assert TimestampData.from_timestamp(datetime(1970, 1, 1, 0, 0, 1, 1)) == TimestampData.from_epoch_millis(1000, 1000)


def test_from_timestamp_keeps_nanoseconds_of_objects_that_have_them() -> None:
    assert TimestampData.from_timestamp(NanosecondDatetime(1970, 1, 1, 0, 0, 0, 1456, nanosecond=789)) == TimestampData.from_epoch_millis(
        1, 456_789
    )


def test_from_local_date_time() -> None:
    assert TimestampData.from_local_date_time(datetime(1, 1, 1)) == TimestampData.from_epoch_millis(-62_135_596_800_000)


def test_from_local_date_time_refuses_a_time_zone() -> None:
    with pytest.raises(ValidationException, match="has a time zone"):
        TimestampData.from_local_date_time(datetime(2020, 1, 1, tzinfo=UTC))


def test_from_instant() -> None:
    moment = datetime(2020, 7, 1, 14, tzinfo=ZoneInfo("Europe/Berlin"))
    assert TimestampData.from_instant(moment).to_instant() == datetime(2020, 7, 1, 12, tzinfo=UTC)


def test_from_instant_refuses_a_datetime_without_a_zone() -> None:
    with pytest.raises(ValidationException, match="has no time zone"):
        TimestampData.from_instant(datetime(2020, 1, 1))


def test_from_instant_leaves_the_years_of_datetime() -> None:
    moment = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert TimestampData.from_instant(moment).get_millisecond() == -62_135_596_800_000 - 3_600_000


@given(st.datetimes(timezones=st.timezones()))
def test_instants_are_those_of_datetime(moment: datetime) -> None:
    value = TimestampData.from_instant(moment)
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert (value.get_millisecond(), value.get_nano_of_millisecond()) == (micros // 1000, micros % 1000 * 1000)


@given(st.datetimes())
def test_local_date_times_come_back(moment: datetime) -> None:
    assert TimestampData.from_local_date_time(moment).to_local_date_time() == moment


@pytest.mark.parametrize(("precision", "compact"), [(0, True), (3, True), (4, False), (9, False)])
def test_is_compact(precision: int, compact: bool) -> None:
    assert TimestampData.is_compact(precision) is compact


def test_the_order_is_that_of_time() -> None:
    parts = [(1, 0), (0, 1), (-1, 999_999), (0, 0)]
    ordered = sorted(TimestampData.from_epoch_millis(*part) for part in parts)
    assert [(value.get_millisecond(), value.get_nano_of_millisecond()) for value in ordered] == sorted(parts)


def test_equal_timestamps_have_equal_hashes() -> None:
    assert len({TimestampData.from_epoch_millis(1, 2), TimestampData.from_epoch_millis(1, 2)}) == 1


@pytest.mark.parametrize(
    ("millis", "nanos", "text"),
    [
        (0, 0, "1970-01-01T00:00:00"),
        (-1, 1, "1969-12-31T23:59:59.999000001"),
        (1, 500_000, "1970-01-01T00:00:00.0015"),
        (2**63 - 1, 0, "9223372036854775807 ms + 0 ns"),
    ],
)
def test_to_string(millis: int, nanos: int, text: str) -> None:
    assert str(TimestampData.from_epoch_millis(millis, nanos)) == text


def test_timestamps_survive_pickling() -> None:
    value = TimestampData.from_epoch_millis(-1, 5)
    assert pickle.loads(pickle.dumps(value)) == value
