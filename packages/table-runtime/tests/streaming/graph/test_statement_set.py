from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.sink import Sink, SinkWrite
from table_runtime.steps.pipeline import MapStep, Pipeline
from table_runtime.streaming.graph.graph import Edge, Graph, Source
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.graph.statement_set import StatementSet

SCHEMA = pa.schema([("a", pa.int64())])


class Scan(Operator):
    """Yields a batch per value, and counts the reads."""

    def __init__(self, *values: int) -> None:
        super().__init__(SCHEMA)
        self.values = values
        self.reads = 0

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        self.reads += 1
        for value in self.values:
            yield pa.RecordBatch.from_arrays([pa.array([value])], schema=SCHEMA)


class Write(SinkWrite):
    """Records the calls; fails at the value 13."""

    def __init__(self, context: ExecutionContext, log: list[str], name: str) -> None:
        super().__init__(context, name)
        self.log = log
        self.name = name
        log.append(f"open {name}")

    @override
    def _write(self, batch: pa.RecordBatch) -> None:
        for value in batch.column(0).to_pylist():
            if value == 13:
                raise TableRuntimeException("13")
            self.log.append(f"{self.name} {value}")

    @override
    def finish(self) -> None:
        self.log.append(f"finish {self.name}")

    @override
    def abort(self) -> None:
        self.log.append(f"abort {self.name}")


class Sinks(Sink):
    """Opens a ``Write``; fails if it is named ``closed``."""

    def __init__(self, child: Operator, name: str, log: list[str]) -> None:
        super().__init__(child, name)
        self.table = name
        self.log = log

    @override
    def open(self, context: ExecutionContext) -> SinkWrite:
        if self.table == "closed":
            raise TableRuntimeException("closed")
        return Write(context, self.log, self.table)


class Plus(MapStep):
    @override
    def map(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pa.array([value + 1 for value in batch.column(0).to_pylist()])], schema=SCHEMA)

    @override
    def plan_line(self) -> str:
        return "Plus"


def statement_set(scan: Scan, log: list[str], *names: str) -> StatementSet:
    graph = Graph([Source(scan, SCHEMA, False, [Edge(None, number) for number in range(len(names))])], [])
    outputs = [GraphOutput(graph, SCHEMA, has_kinds=False) for _ in names]
    return StatementSet(graph, [Sinks(output, name, log) for output, name in zip(outputs, names, strict=True)])


def test_the_source_is_read_once_and_the_row_counts_are_one_row(context: ExecutionContext) -> None:
    scan, log = Scan(1, 2), list[str]()
    (counts,) = statement_set(scan, log, "x", "y").batches(context)
    assert counts.to_pylist() == [{"x": 2, "y": 2}]
    assert scan.reads == 1
    assert log == ["open x", "open y", "x 1", "y 1", "x 2", "y 2", "finish x", "finish y"]


def test_pipelines_between_the_graph_and_a_sink_are_applied(context: ExecutionContext) -> None:
    log: list[str] = []
    graph = Graph([Source(Scan(1, 2), SCHEMA, False, [Edge(None, 0)])], [])
    output = GraphOutput(graph, SCHEMA, has_kinds=False)
    list(StatementSet(graph, [Sinks(Pipeline.over(output, Plus(SCHEMA)), "x", log)]).batches(context))
    assert log == ["open x", "x 2", "x 3", "finish x"]


@pytest.mark.parametrize("names", [("x", "y"), ("x", "y", "closed")])
def test_a_failure_aborts_all_opened_writes(context: ExecutionContext, names: tuple[str, ...]) -> None:
    log: list[str] = []
    with pytest.raises(TableRuntimeException):
        list(statement_set(Scan(1, 13), log, *names).batches(context))
    assert log[-2:] == ["abort x", "abort y"]
    assert not any(entry.startswith("finish") for entry in log)
