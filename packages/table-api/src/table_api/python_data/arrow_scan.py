"""Scans of Arrow data of this process."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from table_api.execution import TableSession
from table_api.execution.anonymous_table import anonymous_table
from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.table_descriptor import TableDescriptor
from table_common.catalog import ResolvedSchema, Schema
from table_common.exceptions import TableException, ValidationException
from table_common.types import DataType, LogicalType, RowType

ArrowSchema = DataType | LogicalType | Sequence[str] | Sequence[DataType] | None
"""A ROW type; or the names of the columns; or their types; or None for the names and types of the data."""


def operation_of_data(session: TableSession, data: object, schema: ArrowSchema = None, splits_num: int = 1) -> QueryOperation:
    """Returns a scan of data; the arguments are those of ``from_arrow``."""
    if find_spec("pyarrow") is None:
        raise TableException("Arrow data is read with pyarrow, which is not installed.", hint="pip install 'table-api[arrow]'")
    from table_common.arrow import in_memory_table

    names, types = _names_and_types(schema)
    source = in_memory_table(data, names, types, splits_num)
    columns = ResolvedSchema.physical((field.name, field.type) for field in source.row_type.fields)
    described = Schema.new_builder().from_resolved_schema(columns).build()
    table = anonymous_table(session, TableDescriptor.for_connector("arrow").schema(described).build())
    return SourceQueryOperation(table, source=source)


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

    return operation_of_data(session, from_python_columns(columns, row_type), row_type)


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
