"""Creating, altering, refreshing and dropping materialized tables."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations.operation import Operation
from table_common.catalog import CatalogMaterializedTable, CatalogPartitionSpec, ObjectIdentifier
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CreateMaterializedTableOperation(Operation):
    """``CREATE MATERIALIZED TABLE [IF NOT EXISTS] …``."""

    identifier: ObjectIdentifier
    table: CatalogMaterializedTable
    ignore_if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterMaterializedTableOperation(Operation):
    """``ALTER MATERIALIZED TABLE … AS|ADD|MODIFY|DROP …``, and ``CREATE OR ALTER`` of one that exists."""

    identifier: ObjectIdentifier
    new_table: CatalogMaterializedTable
    old_table: CatalogMaterializedTable


@dataclass(frozen=True, slots=True)
class SuspendMaterializedTableOperation(Operation):
    """``ALTER MATERIALIZED TABLE [IF EXISTS] … SUSPEND``; also any other ALTER … IF EXISTS of a table that does not exist."""

    identifier: ObjectIdentifier
    ignore_if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ResumeMaterializedTableOperation(Operation):
    """``ALTER MATERIALIZED TABLE … RESUME [WITH (…)]``."""

    identifier: ObjectIdentifier
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefreshMaterializedTableOperation(Operation):
    """``ALTER MATERIALIZED TABLE … REFRESH [PARTITION (…)]``; without values the whole table."""

    identifier: ObjectIdentifier
    partition: CatalogPartitionSpec = field(default_factory=lambda: CatalogPartitionSpec({}))


@dataclass(frozen=True, slots=True)
class DropMaterializedTableOperation(Operation):
    """``DROP MATERIALIZED TABLE [IF EXISTS] …``."""

    identifier: ObjectIdentifier
    ignore_if_not_exists: bool = False
