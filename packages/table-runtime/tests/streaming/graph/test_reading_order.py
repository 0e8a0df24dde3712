"""Tests for table_runtime.streaming.graph.reading_order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.time.alignment import Alignment


@dataclass
class Source:
    edges: list[str]
    alignment: Alignment | None = None
    idle_timeout: int = 60


@dataclass
class Run:
    """Watermarks by the name of the source, and what it was told."""

    watermarks: dict[str, int | None]
    told: list[tuple[Any, ...]] = field(default_factory=list)

    def watermark_of(self, edges: Sequence[Any]) -> int | None:
        return self.watermarks.get(edges[0], NO_WATERMARK)

    def set_idle(self, edges: Sequence[Any], split: str, is_idle: bool) -> None:
        self.told.append((edges[0], split, is_idle))

    def add_split(self, edges: Sequence[Any], split: str) -> None:
        self.told.append((edges[0], split, "began"))

    def end_split(self, edges: Sequence[Any], split: str) -> None:
        self.told.append((edges[0], split, "ended"))


class Clock:
    now = 0

    def __call__(self) -> int:
        return self.now


def of(
    *sources: Source, first: Sequence[int] = (), in_turn: Sequence[int] = (), by_watermark: Sequence[int] = (), **watermarks: int | None
) -> tuple[ReadingOrder, Run, Clock]:
    run, clock = Run(dict(watermarks)), Clock()
    return ReadingOrder(sources, run, clock, first=first, in_turn=in_turn, by_watermark=by_watermark), run, clock


def test_sources_are_read_one_after_the_other() -> None:
    order, _, _ = of(Source(["a"]), Source(["b"]))
    assert order.next() == 0
    order.has_rows(0)
    assert order.next() == 0
    order.ended(0)
    assert order.next() == 1
    order.ended(1)
    assert (order.next(), order.has_open) == (None, False)


def test_sources_whose_readers_wait_are_read_by_their_watermarks_after_the_others() -> None:
    order, run, _ = of(Source(["a"]), Source(["b"]), Source(["c"]), by_watermark=[0, 2], a=9, b=None, c=5)
    assert order.next() == 1
    order.ended(1)
    assert order.next() == 2
    run.watermarks["c"] = 10
    assert order.next() == 0


def test_sources_whose_rows_meet_by_processing_time_are_read_in_turn() -> None:
    order, _, _ = of(*(Source([name]) for name in "abcd"), in_turn=[0, 2], by_watermark=[3])
    assert order.next() == 1
    order.ended(1)
    assert [order.next() for _ in range(4)] == [0, 2, 0, 2]
    order.ended(0)
    assert [order.next() for _ in range(2)] == [2, 2]
    order.ended(2)
    assert order.next() == 3


def test_a_source_is_read_as_far_as_its_group_allows() -> None:
    group = Alignment("g", 100)
    order, run, _ = of(Source(["a"], group), Source(["b"], group))
    read = []
    for _ in range(6):
        number = order.next()
        assert number is not None
        read.append(number)
        name = "ab"[number]
        run.watermarks[name] = max(run.watermarks.get(name) or 0, 0) + 80
    assert read == [0, 1, 0, 0, 1, 0]
    order.ended(1)
    assert order.next() == 0


def test_a_source_that_is_read_to_its_end_for_now_is_idle_after_the_timeout() -> None:
    order, run, clock = of(Source(["a"]), Source(["b"]), by_watermark=[0, 1], a=5, b=9)
    order.caught_up(0)
    assert (order.next(), order.is_idle(0)) == (1, False)
    order.caught_up(1)
    assert (order.next(), order.wait()) == (None, 60)
    clock.now = 60
    order.caught_up(0)
    order.caught_up(1)
    assert order.next() is None
    assert run.told == [("a", "", True), ("b", "", True)]
    order.has_rows(0)
    assert (order.next(), order.is_idle(0), order.is_idle(1)) == (0, False, True)
    assert run.told[2:] == [("a", "", False)]


def test_an_idle_source_does_not_hold_its_group_back() -> None:
    group = Alignment("g", 100)
    order, _, _ = of(Source(["a"], group), Source(["b"], group), a=500, b=200)
    order.caught_up(1)
    assert order.next() is None
    order.caught_up(1, at=60)
    assert order.next() == 0


def test_a_source_is_idle_if_all_its_splits_are() -> None:
    order, run, clock = of(Source(["a"]), Source(["b"]))
    order.split_began(0, "y")
    order.caught_up(0, "x")
    clock.now = 60
    order.caught_up(0, "x")
    assert (order.next(), order.is_idle(0)) == (0, False)
    order.caught_up(0, "y")
    clock.now = 120
    order.caught_up(0, "y")
    assert (order.next(), order.is_idle(0)) == (1, True)
    assert run.told == [("a", "y", "began"), ("a", "x", True), ("a", "y", True)]
    order.split_ended(0, "x")
    order.has_rows(0, "y")
    assert run.told[3:] == [("a", "x", "ended"), ("a", "y", False)]


def test_a_source_that_is_never_idle_is_waited_for() -> None:
    order, run, clock = of(Source(["a"], idle_timeout=0), Source(["b"]))
    order.caught_up(0)
    clock.now = 1_000_000
    order.next()
    assert (run.told, order.wait()) == ([], None)


def test_rows_that_are_left_are_taken_although_their_source_is_ahead_of_its_group() -> None:
    order, _, _ = of(Source(["a"], Alignment("g", 5)), Source(["b"], Alignment("g", 5)), Source(["c"], Alignment("g", 5)), a=30, b=20, c=0)
    assert order.next_readable([0, 1]) is None
    assert order.next_left([0, 1]) == 1
    assert order.next_left([]) is None


def test_rows_that_are_left_wait_for_a_source_that_is_read_first() -> None:
    order, _, _ = of(Source(["a"]), Source(["b"]), first=[1])
    assert order.next_left([0]) is None
    order.caught_up(1)
    assert order.next_left([0]) == 0
