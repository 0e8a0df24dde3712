"""Tests for table_runtime.streaming.time.alignment."""

from __future__ import annotations

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.time.alignment import Alignment, sources_to_read

G, H = Alignment("g", 10), Alignment("h", 0)


def test_a_source_that_is_ahead_of_its_group_is_not_read() -> None:
    groups = {0: G, 1: G, 2: H, 3: None}
    assert sources_to_read(groups, {0: 111, 1: 100, 2: 5000, 3: 9}) == [1, 2, 3]
    assert sources_to_read(groups, {0: 110, 1: 100, 2: 5000, 3: 9}) == [0, 1, 2, 3]


def test_a_source_without_a_watermark_yet_holds_its_group_back() -> None:
    assert sources_to_read({0: G, 1: G}, {0: 5, 1: NO_WATERMARK}) == [1]
    assert sources_to_read({0: G, 1: G}, {0: NO_WATERMARK, 1: NO_WATERMARK}) == [0, 1]


def test_sources_without_event_time_are_not_aligned() -> None:
    assert sources_to_read({0: G, 1: G}, {0: 5, 1: None}) == [0, 1]
