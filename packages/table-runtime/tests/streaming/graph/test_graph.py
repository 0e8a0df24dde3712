"""The parts of a graph: which sources end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowScanProvider, SupportsArrowArray
from table_common.types import BigIntType, RowType
from table_runtime.batch.values import Values
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.streaming.graph.graph import Edge, Graph, Source

SCHEMA = pa.schema([("a", pa.int64())])


class Rows(ArrowScanProvider):
    def __init__(self, *, is_bounded: bool) -> None:
        self._is_bounded = is_bounded

    @property
    def is_bounded(self) -> bool:
        return self._is_bounded

    def splits(self) -> Sequence[Any]:
        return []

    def read(self, split: Any) -> Iterator[SupportsArrowArray]:
        yield from ()


@pytest.mark.parametrize("is_bounded", [True, False])
def test_a_source_is_endless_if_its_connector_says_so(is_bounded: bool) -> None:
    scan = ScanArrow(Rows(is_bounded=is_bounded), RowType.of([("a", BigIntType())], nullable=False), SCHEMA, "t", "Rows")
    assert Source(scan, SCHEMA, False).is_unbounded is not is_bounded


def test_values_end() -> None:
    values = Values(SCHEMA, list, 0)
    assert not Source(values, SCHEMA, False).is_unbounded


def test_parts_share_no_lists() -> None:
    one, other = Graph(), Graph()
    one.sources.append(Source(Values(SCHEMA, list, 0), SCHEMA, False))
    one.sources[0].edges.append(Edge(0, 0))
    assert not other.sources
    assert not Source(one.sources[0].scan, SCHEMA, False).edges
