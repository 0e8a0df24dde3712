"""Process table functions over bounded tables: the streaming operator gets their rows in the order of time, and the last watermark at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.batches import BATCH_ROWS, make_batch, split_table
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.materialized_input import materialize
from table_runtime.run.operator import Operator
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.process_table_forms import process_table
from table_runtime.streaming.operators.process_table_spec import ProcessSpec
from table_runtime.streaming.time.watermarks import END_OF_TIME


@dataclass(frozen=True, slots=True, eq=False)
class MergedRows:
    """Rows of some tables: ``parts`` has those of each table by its position, ``owners`` the table of each row, in the order of the rows."""

    parts: Mapping[int, pa.RecordBatch]
    owners: Slots

    @classmethod
    def of_one(cls, number: int, batch: pa.RecordBatch) -> MergedRows:
        """Returns rows of one table."""
        return cls({number: batch}, np.full(batch.num_rows, number))


# Differs from Flink: batch mode has process table functions. Flink refuses them there. There is no watermark before the end of the tables, so that timers fire
# after all rows of their partition, in the order of time.
def process_bounded(spec: ProcessSpec, rows: Iterable[MergedRows], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a call over the rows of its tables."""
    operator = process_table(spec)
    state = operator.create_state(context)
    emitted: list[ChangeBatch] = []
    for merged in rows:
        context.check()
        operator.process_merged(merged.parts, merged.owners, state, emitted.append)
        for changes in emitted:
            yield changes.rows
        emitted.clear()
    operator.on_watermark(END_OF_TIME, state, emitted.append)
    for changes in emitted:
        yield changes.rows


def divided_by_table(batches: Iterable[pa.RecordBatch], schemas: Sequence[pa.Schema], first: int) -> Iterator[MergedRows]:
    """Yields the rows of several tables that come together.

    The first column is the position of their table; the columns of each table begin at ``first``, one table after the other, NULL in the rows of others.
    """
    for batch in batches:
        numbers = np.asarray(batch.column(0)).astype(np.int64)
        parts = {}
        for number in np.unique(numbers).tolist():
            begin = first + sum(len(schema) for schema in schemas[:number])
            places = pa.array(np.flatnonzero(numbers == number))
            columns = [batch.column(position).take(places) for position in range(begin, begin + len(schemas[number]))]
            parts[number] = make_batch(columns, schemas[number], len(places))
        if parts:
            yield MergedRows(parts, numbers)


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

    def _rows(self, context: ExecutionContext) -> Iterator[MergedRows]:
        if all(table.time < 0 for table in self._spec.inputs):
            for number, child in enumerate(self.inputs):
                for batch in child.batches(context):
                    yield MergedRows.of_one(number, batch)
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
        for start in range(0, len(owners), BATCH_ROWS):
            of_rows, of_places = owners[start : start + BATCH_ROWS], places[start : start + BATCH_ROWS]
            parts = {}
            for number in np.unique(of_rows).tolist():
                taken = of_places[of_rows == number]
                (parts[number],) = split_table(tables[number][0], self._spec.inputs[number].schema, len(taken), pa.array(taken))
            yield MergedRows(parts, of_rows)
