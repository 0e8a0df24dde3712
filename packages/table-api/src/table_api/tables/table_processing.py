"""The methods of ``Table`` that call process table functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from table_api.expressions import Expression
from table_api.operations import QueryOperation
from table_api.tables.table_description import TableDescription

if TYPE_CHECKING:
    from table_api.tables.partitioned_table import PartitionedTable, TableArgumentValue


class TableProcessing(TableDescription):
    """The methods of ``Table`` that call process table functions."""

    if TYPE_CHECKING:

        def _table(self, operation: QueryOperation) -> Self: ...

    def partition_by(self, *fields: Expression) -> PartitionedTable[Self]:
        """Returns the table partitioned by columns, for ``process`` of a function with set semantics.

        Raises:
            ValidationException: something is no column.
        """
        from table_api.tables.partitioned_table import PartitionedTable, partitioned  # few programs call such functions

        return PartitionedTable(self._session, partitioned(self._operation, fields), self._table)

    def process(self, function: object, *arguments: object) -> Self:
        """Returns the rows of a process table function for this table, which is the argument of its first table parameter.

        Args:
            function: a class or an object of ``ProcessTableFunction``, or the name of a registered one.
            arguments: the other arguments: expressions, Python values and tables; by position, or by name with ``as_argument``.

        Raises:
            ValidationException: an argument is missing, unknown or of the wrong kind.
        """
        from table_api.resolution.process_table_function import GivenTable
        from table_api.tables.partitioned_table import call_with_table

        return self._table(call_with_table(self._session, function, GivenTable(self._operation), arguments))

    def as_argument(self, name: str) -> TableArgumentValue:
        """Returns the table as the argument of a name, for ``from_call`` and ``process``."""
        from table_api.resolution.process_table_function import GivenTable
        from table_api.tables.partitioned_table import TableArgumentValue

        return TableArgumentValue(GivenTable(self._operation), self._session, name)
