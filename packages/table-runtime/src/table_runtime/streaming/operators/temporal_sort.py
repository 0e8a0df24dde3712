"""Sorts rows by event time: they are emitted when the watermark reaches their time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.streaming.changes.batch import Times
from table_runtime.streaming.operators.over import Lateness, Over
from table_runtime.streaming.state.row_lists import Rows


class TemporalSort(Over):
    """Emits rows in the order of ``orders``, of which the first is the time. Without ``time``, rows are emitted as they come.

    A row is late if it is not later than the last row that was emitted when it came: it is dropped and counted.
    """

    def __init__(self, schema: pa.Schema, time: int | None, orders: Sequence[SortKey], text: str = "") -> None:
        super().__init__(schema, schema, (), time, (), lateness=Lateness.BEHIND_PARTITION, text=text)
        self._orders = tuple(orders)

    @property
    @override
    def name(self) -> str:
        return "TemporalSort"

    @override
    def _output_order(self, batch: pa.RecordBatch, times: Times, due: Times) -> Rows:
        return np.asarray(sort_indices(batch.columns, self._orders)).astype(np.int64)
