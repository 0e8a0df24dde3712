from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.data import NanosecondDatetime, NanosecondTime, NanosecondTimedelta, nanos_of_duration, nanos_since_epoch
from table_common.data.nanoseconds import datetime_of, timedelta_of

PLAIN = datetime(2020, 1, 31, 23, 59, 59, 123456)
MOMENT = NanosecondDatetime(2020, 1, 31, 23, 59, 59, 123456, nanosecond=789)
INSTANT = MOMENT.replace(tzinfo=UTC)
TIME = NanosecondTime(23, 59, 59, 123456, nanosecond=789)
DURATION = NanosecondTimedelta(seconds=1, nanoseconds=-1)
VALUES = [MOMENT, INSTANT, TIME, TIME.replace(tzinfo=UTC), DURATION]

datetimes = st.builds(datetime_of, st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.integers(0, 999))
durations = st.integers(-(10**18), 10**18).map(timedelta_of)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MOMENT, "2020-01-31 23:59:59.123456789"),
        (INSTANT, "2020-01-31 23:59:59.123456789+00:00"),
        (NanosecondDatetime(2020, 1, 31, nanosecond=7), "2020-01-31 00:00:00.000000007"),
        (NanosecondDatetime(2020, 1, 31), "2020-01-31 00:00:00"),
        (TIME, "23:59:59.123456789"),
        (NanosecondTime(1, tzinfo=UTC, nanosecond=7), "01:00:00.000000007+00:00"),
        (DURATION, "0:00:00.999999999"),
        (NanosecondTimedelta(nanoseconds=7), "0:00:00.000000007"),
    ],
)
def test_the_text_has_all_digits(value: object, text: str) -> None:
    assert (str(value), f"{value}") == (text, text)


@pytest.mark.parametrize("value", VALUES)
def test_the_repr_makes_the_value_again(value: object) -> None:
    names = {"datetime": __import__("datetime"), **{c.__name__: c for c in (NanosecondDatetime, NanosecondTime, NanosecondTimedelta)}}
    assert eval(repr(value), names) == value


@pytest.mark.parametrize("value", VALUES)
def test_copies_and_pickles_are_equal(value: Any) -> None:
    copies = (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value))
    assert [(type(other), str(other), hash(other)) for other in copies] == [(type(value), str(value), hash(value))] * 3


@pytest.mark.parametrize("value", [MOMENT, INSTANT, TIME])
def test_fromisoformat_reads_what_isoformat_writes(value: Any) -> None:
    assert type(value).fromisoformat(value.isoformat()) == value


@pytest.mark.parametrize(
    ("timespec", "text"), [("seconds", "23:59:59"), ("milliseconds", "23:59:59.123"), ("nanoseconds", "23:59:59.123456789")]
)
def test_isoformat_accepts_a_timespec(timespec: str, text: str) -> None:
    assert (MOMENT.isoformat(" ", timespec), TIME.isoformat(timespec)) == (f"2020-01-31 {text}", text)


@pytest.mark.parametrize("nanosecond", [-1, 1000])
def test_a_nanosecond_is_below_1000(nanosecond: int) -> None:
    with pytest.raises(ValueError, match=r"0\.\.999"):
        NanosecondDatetime(2020, 1, 1, nanosecond=nanosecond)


def test_a_value_is_later_than_its_microsecond() -> None:
    assert (MOMENT > PLAIN, PLAIN < MOMENT, MOMENT >= PLAIN, PLAIN <= MOMENT) == (True, True, True, True)
    assert (MOMENT < PLAIN, PLAIN > MOMENT, MOMENT == PLAIN, PLAIN == MOMENT) == (False, False, False, False)
    assert (MOMENT != PLAIN, PLAIN != MOMENT) == (True, True)


def test_a_time_is_later_than_its_microsecond() -> None:
    assert (PLAIN.time() < TIME, PLAIN.time() < TIME, PLAIN.time() == TIME, PLAIN.time() != TIME) == (True, True, False, True)


def test_without_nanoseconds_a_value_is_the_plain_one() -> None:
    for value, plain in ((MOMENT, PLAIN), (TIME, PLAIN.time())):
        zero = value.replace(nanosecond=0)
        assert (zero == plain, plain == zero, hash(zero) == hash(plain)) == (True, True, True)


def test_an_instant_is_the_same_on_every_clock() -> None:
    other = INSTANT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert (str(other), other == INSTANT, hash(other) == hash(INSTANT)) == ("2020-02-01 05:29:59.123456789+05:30", True, True)


def test_a_value_with_a_zone_does_not_compare_with_one_without() -> None:
    assert INSTANT != MOMENT
    with pytest.raises(TypeError):
        _ = INSTANT < MOMENT


def test_the_parts_keep_the_nanoseconds() -> None:
    assert (MOMENT.time(), INSTANT.timetz()) == (TIME, TIME.replace(tzinfo=UTC))
    assert NanosecondDatetime.combine(date(2020, 1, 31), TIME) == MOMENT


def test_replace_keeps_the_nanoseconds() -> None:
    assert str(MOMENT.replace(year=2021, microsecond=0)) == "2021-01-31 23:59:59.000000789"


def test_a_difference_has_nanoseconds() -> None:
    assert (NanosecondTimedelta(nanoseconds=789), NanosecondTimedelta(nanoseconds=-789)) == (MOMENT - PLAIN, PLAIN - MOMENT)


@given(datetimes, datetimes)
def test_order_and_equality_are_those_of_the_nanoseconds(a: datetime, b: datetime) -> None:
    x, y = nanos_since_epoch(a), nanos_since_epoch(b)
    assert (a < b, a <= b, a == b, a != b, a >= b, a > b) == (x < y, x <= y, x == y, x != y, x >= y, x > y)


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.integers(0, 999), durations)
def test_a_sum_is_that_of_the_nanoseconds(moment: datetime, nanosecond: int, duration: timedelta) -> None:
    start = NanosecondDatetime.combine(moment.date(), moment.time()).replace(nanosecond=nanosecond)
    assert nanos_since_epoch(start + duration) == nanos_since_epoch(start) + nanos_of_duration(duration)
    assert nanos_since_epoch(start - duration) == nanos_since_epoch(start) - nanos_of_duration(duration)
    assert start + duration - start == duration


@given(durations, durations)
def test_durations_calculate_with_nanoseconds(a: timedelta, b: timedelta) -> None:
    x, y = nanos_of_duration(a), nanos_of_duration(b)
    assert [nanos_of_duration(value) for value in (a + b, a - b, -a, abs(a), a * 3)] == [x + y, x - y, -x, abs(x), 3 * x]
    assert (a < b, a <= b, a == b, a >= b, a > b) == (x < y, x <= y, x == y, x >= y, x > y)


@pytest.mark.parametrize("operand", [NanosecondTimedelta(nanoseconds=-1500), timedelta(microseconds=2)])
def test_durations_divide(operand: timedelta) -> None:
    x, y = nanos_of_duration(DURATION), nanos_of_duration(operand)
    assert (DURATION / operand, DURATION // operand, operand // DURATION, operand / DURATION) == (x / y, x // y, y // x, y / x)
    assert (nanos_of_duration(DURATION % operand), nanos_of_duration(operand % DURATION)) == (x % y, y % x)
    assert (divmod(DURATION, operand), divmod(operand, DURATION)) == ((x // y, DURATION % operand), (y // x, operand % DURATION))


def test_a_duration_is_scaled_to_the_nearest_nanosecond() -> None:
    value = NanosecondTimedelta(nanoseconds=1001)
    assert [nanos_of_duration(other) for other in (value * 2, 2 * value, value / 2, value // 2, value * 0.5)] == [2002, 2002, 500, 500, 500]


def test_a_duration_of_nanoseconds_is_true() -> None:
    assert NanosecondTimedelta(nanoseconds=1)


def test_total_seconds_has_nanoseconds() -> None:
    assert NanosecondTimedelta(nanoseconds=1).total_seconds() == 1e-9
