"""What all sources of epochs have in common."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.operator import Operator
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.share_epochs.epoch_source import EpochSource

SCHEMA = pa.schema([("n", pa.int32())])


class Nothing(EpochSource):
    position: Mapping[str, Any] = {}  # type: ignore[assignment]

    @override
    def plan(self) -> Mapping[str, Any]:
        return {}

    @override
    def taken(self) -> None:
        pass

    @override
    def close(self) -> None:
        pass


def source_of(idle_timeout: int, position: Mapping[str, Any]) -> Nothing:
    scan: Any = Operator
    return Nothing(Source(scan, SCHEMA, False, idle_timeout=idle_timeout), position, ["a", "b"])


def test_a_split_without_rows_is_idle_after_the_timeout() -> None:
    source = source_of(30, {})
    assert source.idle_splits() == {"a": False, "b": False}
    time.sleep(0.04)
    source.note_rows(["b"])
    assert source.idle_splits() == {"a": True, "b": False}
    assert source_of(0, {}).idle_splits() == {"a": False, "b": False}


def test_a_source_that_has_ended_has_no_splits_and_no_news() -> None:
    source = source_of(30, {"ended": True})
    assert source.has_ended
    assert source.idle_splits() == {}
    assert not source.wait(0)
    source.committed()
