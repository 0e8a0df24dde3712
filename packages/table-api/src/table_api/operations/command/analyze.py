"""ANALYZE TABLE."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogPartitionSpec, ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AnalyzeTableOperation(Operation):
    """``ANALYZE TABLE path [PARTITION (…)] COMPUTE STATISTICS …``.

    ``partition_keys`` are those that PARTITION names, ``partition`` has the values of those that it gives a value; ``columns`` are those
    whose statistics are computed.
    """

    identifier: ObjectIdentifier
    partition_keys: tuple[str, ...] = ()
    partition: CatalogPartitionSpec | None = None
    columns: tuple[str, ...] = ()
