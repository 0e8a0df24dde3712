"""One scan of a Python object, which calls the user's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ArrowScanProvider, InputSplit
from table_common.frozen_dataclass import dataclass
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.connectors.python.returned_rows import BATCH_ROWS, GivenRows
from table_runtime.connectors.python.user_code import UserCode


@dataclass(frozen=True, eq=False)
class PythonScan(ArrowScanProvider):
    """A scan with one split, which calls the user's code."""

    code: UserCode
    row_type: RowType
    columns: tuple[int, ...]
    condition: Any
    limit: int | None
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded

    @property
    @override
    def carries_user_code(self) -> bool:
        return True

    def given_rows(self) -> GivenRows:
        """Returns what converts the rows of the user's code."""
        requested = self._requested
        return GivenRows(self.code, self.row_type, requested if "columns" in self.code.arguments else self.row_type, requested)

    def arguments(self) -> dict[str, Any]:
        """Returns the arguments that the user's code may take."""
        return {"columns": list(self._requested.field_names), "filters": self.condition, "limit": self.limit}

    @property
    def _requested(self) -> RowType:
        # Rows without columns cannot be counted, so one column is requested then and removed.
        return _selected(self.row_type, self.columns or (0,))

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        if self.limit == 0:
            return
        remaining = self.limit
        for batch in self.given_rows().batches(self.code.rows(self.arguments()), BATCH_ROWS if remaining is None else remaining):
            rows = batch if remaining is None else batch.slice(0, remaining)
            yield rows if self.columns else make_batch([], pa.schema([]), rows.num_rows)
            if remaining is not None:
                remaining -= rows.num_rows
                if remaining <= 0:
                    return


def _selected(row_type: RowType, columns: Sequence[int]) -> RowType:
    return RowType(tuple(row_type.fields[column] for column in columns), nullable=False)
