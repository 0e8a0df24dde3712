"""Reading a whole table through a scan's runtime provider, inside a task."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.connector import ArrowScanProvider, FileScanProvider, ScanTableSource
from table_common.exceptions import TableInternalError
from table_common.types import RowType
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator


def read_all(provider: ScanTableSource.ScanRuntimeProvider, row_type: RowType, table: str) -> Iterator[pa.RecordBatch]:
    """Yields the rows of all splits or files."""
    schema = to_arrow_schema(row_type)
    operator: Operator
    if isinstance(provider, FileScanProvider):
        from table_runtime.scans.scan_files import ScanFiles

        operator = ScanFiles(provider, schema, table)
    elif isinstance(provider, ArrowScanProvider):
        from table_runtime.scans.scan_arrow import ScanArrow

        operator = ScanArrow(provider, row_type, schema, table, table)
    else:
        raise TableInternalError(f"A full cache cannot be read through a {type(provider).__name__}; planning should have rejected it.")
    context = ExecutionContext(parallelism=1)
    try:
        yield from operator.batches(context)
    finally:
        context.close()
