"""OFFSET and FETCH: skips rows, limits their number, and stops reading early."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator


class Limit(Operator):
    """Skips ``offset`` rows, then yields ``fetch`` rows (None: all). Closes its input as soon as they are complete."""

    def __init__(self, child: Operator, offset: int, fetch: int | None) -> None:
        super().__init__(child.schema, (child,))
        self._offset = offset
        self._fetch = fetch

    @override
    def details(self) -> str:
        return f"offset=[{self._offset}], fetch=[{'all' if self._fetch is None else self._fetch}]"

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        skip, remaining = self._offset, self._fetch
        if remaining == 0:
            return
        source = self.inputs[0].batches(context)
        try:
            for batch in source:
                if skip >= batch.num_rows:
                    skip -= batch.num_rows
                    continue
                rows = batch.slice(skip) if remaining is None else batch.slice(skip, remaining)
                skip = 0
                yield rows
                if remaining is not None:
                    remaining -= rows.num_rows
                    if remaining <= 0:
                        return
        finally:
            close_iterator(source)
