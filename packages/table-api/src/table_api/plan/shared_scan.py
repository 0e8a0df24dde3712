"""The node between a scan with several readers and these."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SharedScanQueryOperation(QueryOperation):
    """Marks a scan, and the watermark of its table, that several nodes read. It is in plans only while filters and columns are pushed down."""

    child: QueryOperation
