"""Creating a table from a query."""

from __future__ import annotations

from table_api.operations.ddl.create_table import CreateTableOperation
from table_api.operations.operation import Operation, QueryOperation
from table_common.frozen_dataclass import dataclass


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
