"""The graph of a streaming job: sources, operators, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from table_common.frozen_dataclass import dataclass, field
from table_runtime.columns.batches import coalesce_batches, rechunk
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator
from table_runtime.streaming.operators.operator import AnyOperator
from table_runtime.streaming.time.alignment import Alignment
from table_runtime.streaming.time.clock import RunClock


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the changes of a source or of an operator go: the input of another operator, or (``node`` None) an output of the graph."""

    node: int | None
    input_index: int


@dataclass(slots=True)
class Source:
    """A scan. With ``has_kinds`` its last column is the number of the change (see ``numbered_changes``); ``schema`` is that of the others."""

    scan: Operator
    schema: pa.Schema
    has_kinds: bool
    edges: list[Edge] = field(default_factory=list)
    alignment: Alignment | None = None
    idle_timeout: int = 0
    """After how many milliseconds without rows an unbounded source is idle (``ReadingOrder``); 0: never."""
    table: str = ""
    """The full name of the table; empty for VALUES."""
    key: tuple[int, ...] = ()
    """The columns of the PRIMARY KEY of the table, if all are read; changes may have them alone where they retract."""
    asked: str = ""
    """What was pushed into the source that decides which rows it gives, in words."""

    @property
    def is_unbounded(self) -> bool:
        """Whether the rows are unbounded."""
        return not self.scan.is_bounded


@dataclass(slots=True)
class Node:
    """An operator, how many inputs it has, and the edges to its readers."""

    operator: AnyOperator
    inputs: int
    edges: list[Edge] = field(default_factory=list)
    retentions: tuple[int, ...] = (0,)
    """How many milliseconds untouched state is kept, 0 for ever: one number, or one per input for an operator that keeps its inputs apart."""
    follows_clock: bool = False
    """Whether the operator's time is processing time: the clock of the run is its watermark, which is 1 ms behind the clock."""
    signature: Mapping[str, Any] | None = None
    """What the operator keeps, for comparison with the state of another version of the statement; None: it keeps no rows."""
    fires_at_each_watermark: bool = False
    """Whether the operator gets all watermarks between the rows of a batch, one by one, not only the last, because a reader depends on it."""
    raw_column: str | None = None
    """A column of an input, with its type, whose values are pickled objects; None: there is none."""
    text: str = ""
    """What the operator does, in words that the text of the operator does not have: the conditions and projections of a chain."""


@dataclass(slots=True)
class Graph:
    """A directed acyclic graph: sources in the order in which they are read, operators after their inputs, and edges to outputs."""

    sources: list[Source] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    batch_rows: int | None = None
    """How many rows of a source are pushed at once, whole batches of the source taken together; None: each batch as it comes."""
    clock: RunClock = field(default_factory=RunClock)
    """Processing time; also that of the expressions of the operators."""
    state_memory: int | None = None
    """How many bytes the state of all operators may take; None: no limit."""
    cuts_at_watermarks: bool = False
    """Whether the rows of a source are pushed in stretches of one watermark, so that the watermark of every operator is the one in force before the row."""


def batches_of(source: Source, rows: int | None, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Yields the batches of a source; of ``rows`` rows, whole batches of the source taken together, if that is given."""
    batches = source.scan.batches(context)
    if rows is None:
        yield from batches
        return
    try:
        for run in coalesce_batches(batches, rows):
            whole = rechunk(run, source.scan.schema)
            for start in range(0, whole.num_rows, rows):
                yield whole.slice(start, rows)
    finally:
        close_iterator(batches)
