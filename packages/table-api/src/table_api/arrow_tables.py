"""The methods of ``TableEnvironment`` that read in-process data: Arrow data and pandas data frames."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from table_api.execution import TableSession
from table_common.catalog import ResolvedSchema, Schema
from table_common.exceptions import TableException, ValidationException
from table_common.types import DataType, LogicalType, RowType

if TYPE_CHECKING:
    from table_api.operations import QueryOperation
    from table_api.table import Table

__all__ = ["ArrowSchema", "ArrowTables", "operation_of_columns"]

ArrowSchema = DataType | LogicalType | Sequence[str] | Sequence[DataType] | None
"""A ROW type; or the names of the columns; or their types; or None for the names and types of the data."""


class ArrowTables:
    """Creates tables from in-process data."""

    _session: TableSession

    def from_arrow(self, data: object, schema: ArrowSchema = None, splits_num: int = 1) -> Table:
        """Returns Arrow data of this process as a table: of pyarrow, polars, DuckDB or any library with Arrow's C interface.

        Filters, projections and limits are pushed into the scan. Spark receives one copy with the first query and keeps it in the memory of
        its driver while the table is in use; larger data belongs in files.

        Args:
            data: a table, record batch or reader of pyarrow, or an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``. A stream is
                consumed by this call.
            schema: a ROW type or a list of types, by position; numbers are converted if no value changes. Or the names of the columns.
                None: the names and types of the data.
            splits_num: the number of tasks that may read the data in parallel.

        Raises:
            ValidationException: the data is of another class, has a type without a SQL type, or does not match ``schema``.
            TableException: pyarrow is not installed.
        """
        from table_api.table import Table

        return Table(self._session, _operation(self._session, data, schema, splits_num))

    def from_pandas(self, pdf: Any, schema: ArrowSchema = None, splits_num: int = 1) -> Table:
        """Returns a pandas data frame as a table, without its index; the arguments are those of ``from_arrow``.

        Raises:
            ValidationException: it is not a data frame, a column has values of several types, or the columns do not match ``schema``.
            TableException: pyarrow is not installed.
        """
        if not (hasattr(pdf, "columns") and hasattr(pdf, "index")):
            raise ValidationException(
                f"from_pandas takes a pandas.DataFrame, but got {type(pdf).__qualname__}.", hint="from_arrow(data), from_elements(rows)"
            )
        return self.from_arrow(pdf, schema, splits_num)


def operation_of_columns(session: TableSession, columns: Sequence[Sequence[object]], row_type: RowType) -> QueryOperation:
    """Returns a scan of Arrow data made from Python values.

    Args:
        session: the session of the scan.
        columns: the values, column by column, all of one length.
        row_type: names and types of the columns.

    Raises:
        ValidationException: a value does not have the type of its column.
    """
    from table_common.arrow import from_python_columns

    return _operation(session, from_python_columns(columns, row_type), row_type, 1)


def _operation(session: TableSession, data: object, schema: ArrowSchema, splits: int) -> QueryOperation:
    if find_spec("pyarrow") is None:
        raise TableException("Arrow data is read with pyarrow, which is not installed.", hint="pip install 'table-api[arrow]'")
    from table_api.anonymous_table import anonymous_table
    from table_api.operations import SourceQueryOperation
    from table_api.table_descriptor import TableDescriptor
    from table_common.arrow import in_memory_table

    names, types = _names_and_types(schema)
    source = in_memory_table(data, names, types, splits)
    columns = ResolvedSchema.physical((field.name, field.type) for field in source.row_type.fields)
    described = Schema.new_builder().from_resolved_schema(columns).build()
    table = anonymous_table(session, TableDescriptor.for_connector("arrow").schema(described).build())
    return SourceQueryOperation(table, source=source)


def _names_and_types(schema: ArrowSchema) -> tuple[Sequence[str] | None, Sequence[LogicalType] | None]:
    declared = schema.logical_type if isinstance(schema, DataType) else schema
    if declared is None:
        return None, None
    if isinstance(declared, RowType):
        return declared.field_names, declared.field_types
    if isinstance(declared, (LogicalType, str)):
        raise ValidationException(f"The schema of a table is a ROW type, or a list of names or of types, but got {declared}.")
    names = [item for item in declared if isinstance(item, str)]
    types = [item.logical_type for item in declared if isinstance(item, DataType)]
    if len(declared) not in (len(names), len(types)):
        raise ValidationException(f"The schema of a table is a list of names or a list of types, but got {list(declared)}.")
    return (names, None) if names else (None, types)
