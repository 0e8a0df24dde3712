from __future__ import annotations

import pickle
from datetime import UTC, time, timedelta

import pytest

from table_common.data import IntervalData, NanosecondTime, NanosecondTimedelta, TimeData
from table_common.exceptions import TableRuntimeException, ValidationException


def test_time_from_local_time_and_back() -> None:
    value = time(23, 59, 59, 999999)
    assert TimeData.from_local_time(value).to_local_time() == value


def test_time_refuses_a_time_zone() -> None:
    with pytest.raises(ValidationException, match="has a time zone"):
        TimeData.from_local_time(time(1, tzinfo=UTC))


def test_time_from_millis_and_nanos() -> None:
    value = TimeData.from_millis(5, 7)
    assert (value.get_millisecond(), value.get_nano_of_millisecond(), value.to_nanos()) == (5, 7, 5_000_007)


@pytest.mark.parametrize("nanos", [-1, 86_400_000_000_000])
def test_time_is_within_a_day(nanos: int) -> None:
    with pytest.raises(ValidationException, match="A time of day has from 0 to 86399999999999"):
        TimeData.from_nanos(nanos)


def test_time_with_nanoseconds_keeps_them() -> None:
    value = TimeData.from_nanos(1)
    assert value.to_local_time() == NanosecondTime(nanosecond=1)
    assert TimeData.from_local_time(value.to_local_time()) == value


def test_time_as_text() -> None:
    assert [str(TimeData.from_nanos(n)) for n in (0, 3_661_000_000_001)] == ["00:00:00", "01:01:01.000000001"]


def test_interval_from_duration_and_back() -> None:
    value = timedelta(days=-999_999, microseconds=1)
    assert IntervalData.from_duration(value).to_duration() == value


def test_interval_below_zero_has_nanoseconds_above_its_milliseconds() -> None:
    value = IntervalData.from_nanos(-1)
    assert (value.get_millisecond(), value.get_nano_of_millisecond()) == (-1, 999_999)


def test_interval_with_nanoseconds_keeps_them() -> None:
    value = IntervalData.from_nanos(-1)
    assert value.to_duration() == NanosecondTimedelta(nanoseconds=-1)
    assert IntervalData.from_duration(value.to_duration()) == value


def test_interval_beyond_python_timedelta_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="longer than Python's timedelta"):
        IntervalData.from_millis(2**63 - 1).to_duration()


def test_interval_milliseconds_fit_into_64_bits() -> None:
    with pytest.raises(ValidationException, match="fit into 64 bits"):
        IntervalData.from_millis(2**63)


@pytest.mark.parametrize("class_", [TimeData, IntervalData])
@pytest.mark.parametrize(("precision", "compact"), [(3, True), (4, False)])
def test_is_compact(class_: type[TimeData | IntervalData], precision: int, compact: bool) -> None:
    assert class_.is_compact(precision) is compact


def test_time_and_interval_of_the_same_nanoseconds_differ() -> None:
    assert TimeData.from_nanos(1) != IntervalData.from_nanos(1)


def test_both_are_ordered() -> None:
    assert TimeData.from_nanos(1) < TimeData.from_nanos(2)
    assert IntervalData.from_nanos(-2) < IntervalData.from_nanos(-1)


@pytest.mark.parametrize("value", [TimeData.from_nanos(1), IntervalData.from_nanos(-1)])
def test_both_survive_pickling(value: TimeData | IntervalData) -> None:
    copy = pickle.loads(pickle.dumps(value))
    assert (copy, hash(copy), type(copy)) == (value, hash(value), type(value))
