"""Tests for table_runtime.streaming.time.idle_splits."""

from __future__ import annotations

from table_runtime.streaming.time.idle_splits import IdleSplits, Split

A, B = Split(0, "a"), Split(1)


class Clock:
    now = 1000

    def __call__(self) -> int:
        return self.now


def test_a_split_is_idle_when_the_timeout_has_passed_since_its_last_row() -> None:
    clock = Clock()
    splits = IdleSplits(clock)
    splits.caught_up(A, 50)
    clock.now += 49
    splits.caught_up(A, 50)
    assert (splits.due(), splits.wait()) == ([], 1)
    clock.now += 1
    assert splits.due() == []  # nothing says that it has no rows now
    splits.caught_up(A, 50)
    assert (splits.due(), splits.due(), splits.wait(), splits.idle_since(A)) == ([A], [], None, 1000)


def test_rows_make_a_split_active_and_the_time_begins_anew() -> None:
    clock = Clock()
    splits = IdleSplits(clock)
    splits.caught_up(A, 50)
    clock.now += 50
    splits.caught_up(A, 50)
    assert splits.due() == [A]
    assert (splits.active(A), splits.active(A), splits.idle_since(A)) == (True, False, None)
    clock.now += 500
    assert splits.due() == []  # it waits to be read
    splits.caught_up(A, 50)
    assert (splits.due(), splits.wait()) == ([], 50)


def test_splits_have_the_timeouts_of_their_sources() -> None:
    clock = Clock()
    splits = IdleSplits(clock)
    splits.caught_up(A, 0)
    splits.caught_up(B, 20)
    clock.now += 10
    splits.caught_up(B, 20)
    assert splits.wait() == 10
    clock.now += 10_000
    splits.caught_up(A, 0)
    splits.caught_up(B, 20)
    assert (splits.wait(), splits.due()) == (0, [B])


def test_a_split_is_idle_as_long_as_its_source_was_asked_for_rows() -> None:
    splits = IdleSplits(Clock())
    splits.caught_up(A, 50, at=100)
    splits.caught_up(A, 50, at=149)
    assert (splits.due(), splits.wait()) == ([], 1)
    splits.caught_up(A, 50, at=150)
    assert splits.due() == [A]
