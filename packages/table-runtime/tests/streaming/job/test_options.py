from __future__ import annotations

from typing import Any, cast

import pyarrow as pa
import pytest

from table_common.configuration import Configuration
from table_common.connector import ArrowScanProvider, InputSplit
from table_common.exceptions import TableException, ValidationException
from table_common.types import BigIntType, RowType
from table_runtime.scans.scan_arrow import ScanArrow
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.job.options import Checkpointing
from table_runtime.streaming.operators.union import Union

SCHEMA = pa.schema([("a", pa.int64())])


class Endless(ArrowScanProvider):
    """Unbounded batches without offsets."""

    is_bounded = False

    def splits(self) -> list[InputSplit]:
        return [0]

    def read(self, split: InputSplit) -> Any:
        return iter(())


def graph() -> Graph:
    row = RowType.of([("a", BigIntType())], nullable=False)
    sources = [Source(ScanArrow(Endless(), row, SCHEMA, "t", "s"), SCHEMA, False, [Edge(0, index)], table="c.d.t") for index in range(2)]
    return Graph(sources, [Node(Union(SCHEMA), 2, [Edge(1, 0)]), Node(Union(SCHEMA), 1)])


def test_options_have_the_older_names_too() -> None:
    new = {"execution.checkpointing.dir": "/c", "execution.checkpointing.num-retained": "5", "execution.state-recovery.path": "/s"}
    old = {"state.checkpoints.dir": "/c", "state.checkpoints.num-retained": "5", "execution.savepoint.path": "/s"}
    assert Checkpointing.of(Configuration(new)) == Checkpointing.of(Configuration(old))


def test_the_interval_is_that_of_commits_unless_it_is_set() -> None:
    assert Checkpointing.of(Configuration({})).settings.interval == 1.0
    assert Checkpointing.of(Configuration({"execution.checkpointing.interval": "30 s"})).settings.interval == 30.0
    with pytest.raises(ValidationException, match=r"num-retained' must be at least 1, but is 0"):
        Checkpointing.of(Configuration({"execution.checkpointing.num-retained": "0"}))


def test_a_source_that_cannot_be_read_again_is_refused() -> None:
    Checkpointing.of(Configuration({})).check(graph())
    with pytest.raises(TableException, match="The source of t is unbounded and has no offsets") as raised:
        Checkpointing.of(Configuration({"execution.checkpointing.dir": "/c"})).check(graph())
    assert "Implement SourceProvider" in str(raised.value)


def test_names_are_numbered() -> None:
    layout = layout_of(graph(), ["o", "o"])
    assert layout.sources == ["c.d.t#0", "c.d.t#1"]
    assert layout.operators == ["Union#0", "Union#1"]
    assert layout.sinks == ["o#0", "o#1"]
    assert cast("Any", layout.signatures) == {}
