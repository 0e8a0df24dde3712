"""Adding and dropping partitions; their data is not touched."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogPartition, CatalogPartitionSpec, ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AddPartitionsOperation(Operation):
    """``ALTER TABLE [IF EXISTS] … ADD [IF NOT EXISTS] PARTITION (…) [WITH (…)] …``: each with what is kept about it."""

    identifier: ObjectIdentifier
    partitions: tuple[tuple[CatalogPartitionSpec, CatalogPartition], ...]
    ignore_if_exists: bool = False
    ignore_if_table_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropPartitionsOperation(Operation):
    """``ALTER TABLE [IF EXISTS] … DROP [IF EXISTS] PARTITION (…), …``."""

    identifier: ObjectIdentifier
    partitions: tuple[CatalogPartitionSpec, ...]
    ignore_if_not_exists: bool = False
    ignore_if_table_not_exists: bool = False
