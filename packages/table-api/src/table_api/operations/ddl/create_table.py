"""Creating tables."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogTable, ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CreateTableOperation(Operation):
    """``CREATE [TEMPORARY] TABLE [IF NOT EXISTS]``: the table as declared, LIKE already merged in."""

    identifier: ObjectIdentifier
    catalog_table: CatalogTable
    ignore_if_exists: bool = False
    is_temporary: bool = False
