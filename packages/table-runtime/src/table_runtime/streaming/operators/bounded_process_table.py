"""Process table functions over bounded tables: the streaming operator gets their rows in the order of time, and the last watermark at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import make_batch, split_table
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.materialized_input import materialize
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.process_table import ProcessTable
from table_runtime.streaming.operators.process_table_spec import ProcessSpec
from table_runtime.streaming.time.watermarks import END_OF_TIME


# Differs from Flink: batch mode has process table functions. Flink refuses them there. There is no watermark before the end of the tables, so that timers fire
# after all rows of their partition, in the order of time.
def process_bounded(spec: ProcessSpec, rows: Iterable[tuple[int, pa.RecordBatch]], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a call over batches of its tables, each with the position of its table."""
    operator = ProcessTable(spec)
    state = operator.create_state(context)
    emitted: list[ChangeBatch] = []
    for number, batch in rows:
        context.check()
        operator.process(ChangeBatch(batch), number, state, emitted.append)
        for changes in emitted:
            yield changes.rows
        emitted.clear()
    operator.on_watermark(END_OF_TIME, state, emitted.append)
    for changes in emitted:
        yield changes.rows


def divided_by_table(batches: Iterable[pa.RecordBatch], schemas: Sequence[pa.Schema], first: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yields the rows of several tables that come together, with the position of their table.

    The first column is that position; the columns of each table begin at ``first``, one table after the other, NULL in the rows of others.
    """
    for batch in batches:
        numbers = np.asarray(batch.column(0))
        for start, end in pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]):
            if start == end:
                continue
            number = int(numbers[start])
            begin = first + sum(len(schema) for schema in schemas[:number])
            part = batch.slice(start, end - start)
            columns = [part.column(position) for position in range(begin, begin + len(schemas[number]))]
            yield number, make_batch(columns, schemas[number], end - start)


class BoundedProcessTable(Operator):
    """Yields the rows of a process table function. Tables with a time are held in memory and sorted by it; others are read one after the other."""

    def __init__(self, spec: ProcessSpec, inputs: Iterable[Operator], text: str = "") -> None:
        super().__init__(spec.schema, tuple(inputs))
        self._spec = spec
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "ProcessTable"

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield from process_bounded(self._spec, self._rows(context), context)

    def _rows(self, context: ExecutionContext) -> Iterator[tuple[int, pa.RecordBatch]]:
        if all(table.time < 0 for table in self._spec.inputs):
            for number, child in enumerate(self.inputs):
                for batch in child.batches(context):
                    yield number, batch
            return
        tables = [materialize(child, context) for child in self.inputs]
        times = [
            milliseconds_of(pa.concat_arrays(columns[table.time].chunks)) if rows else np.zeros(0, np.int64)
            for (columns, rows), table in zip(tables, self._spec.inputs, strict=True)
        ]
        owners = np.concatenate([np.full(len(one), number) for number, one in enumerate(times)])
        places = np.concatenate([np.arange(len(one)) for one in times])
        order = np.lexsort((owners, np.concatenate(times)))  # stable: rows of one time and table keep their order
        owners, places = owners[order], places[order]
        bounds = [0, *(np.flatnonzero(np.diff(owners)) + 1).tolist(), len(owners)]
        for start, end in pairwise(bounds):
            if start < end:
                number = int(owners[start])
                columns, _ = tables[number]
                schema = self._spec.inputs[number].schema
                for batch in split_table(columns, schema, end - start, pa.array(places[start:end])):
                    yield number, batch
