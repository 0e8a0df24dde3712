"""Creating tables, empty or from a query."""

from __future__ import annotations

from table_api.operations.operation import Operation, QueryOperation
from table_common.catalog import CatalogTable, ObjectIdentifier
from table_common.frozen_dataclass import dataclass

__all__ = ["CreateTableAsOperation", "CreateTableOperation"]


@dataclass(frozen=True, slots=True)
class CreateTableOperation(Operation):
    """``CREATE [TEMPORARY] TABLE [IF NOT EXISTS]``: the table as declared, LIKE already merged in."""

    identifier: ObjectIdentifier
    catalog_table: CatalogTable
    ignore_if_exists: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class CreateTableAsOperation(Operation):
    """``CREATE TABLE … AS query``: the table, whose schema is complete, and the rows that it begins with.

    ``child`` has the columns of the table's persisted columns, in order and cast. ``replace``: a table of that name is dropped first;
    without ``create`` (``REPLACE TABLE``) it must exist.
    """

    table: CreateTableOperation
    child: QueryOperation
    replace: bool = False
    create: bool = True
