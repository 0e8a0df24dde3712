"""Conversions to and from Arrow: types, schemas, record batches. The only package of table_common that imports pyarrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_common.data.arrow_elements import ArrowElements, register_arrow_elements
from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    import pyarrow as pa

    from table_common.arrow import compute
    from table_common.arrow.batch_converter import RowBatchConverter
    from table_common.arrow.changelog import RemainingRows, apply_changes
    from table_common.arrow.columnar_row import ColumnarArrayData, ColumnarMapData, ColumnarRowData, columnar_rows
    from table_common.arrow.conforming import conform_array
    from table_common.arrow.filters import to_arrow_filter
    from table_common.arrow.from_python import build_column
    from table_common.arrow.in_memory_table import InMemoryTable, in_memory_table
    from table_common.arrow.python_lookup import PythonLookupFunction
    from table_common.arrow.record_batch import conform, from_python_columns, from_python_rows, to_python_columns, to_python_rows
    from table_common.arrow.row_data_batch import ROW_KIND_COLUMN, from_row_data, to_row_data
    from table_common.arrow.schema import (
        LOGICAL_TYPE_KEY,
        from_arrow_field,
        from_arrow_schema,
        to_arrow_field,
        to_arrow_schema,
        to_arrow_type,
    )
    from table_common.arrow.staged_sink import StagedTableSink
    from table_common.arrow.streams import import_batch, import_batches, split_row_kinds, stream_of_batches, table_of_batches, with_row_kind
    from table_common.arrow.table_source import ArrowTableSource, RowSelection
    from table_common.arrow.time_units import in_units_of_precision
    from table_common.arrow.to_python import column_values
    from table_common.data.serializer import TypeSerializer
    from table_common.types.logical import LogicalType

__all__ = [
    "LOGICAL_TYPE_KEY",
    "ROW_KIND_COLUMN",
    "ArrowTableSource",
    "ColumnarArrayData",
    "ColumnarMapData",
    "ColumnarRowData",
    "InMemoryTable",
    "PythonLookupFunction",
    "RemainingRows",
    "RowBatchConverter",
    "RowSelection",
    "StagedTableSink",
    "apply_changes",
    "build_column",
    "column_values",
    "columnar_rows",
    "compute",
    "conform",
    "conform_array",
    "from_arrow_field",
    "from_arrow_schema",
    "from_python_columns",
    "from_python_rows",
    "from_row_data",
    "import_batch",
    "import_batches",
    "in_memory_table",
    "in_units_of_precision",
    "split_row_kinds",
    "stream_of_batches",
    "table_of_batches",
    "to_arrow_field",
    "to_arrow_filter",
    "to_arrow_schema",
    "to_arrow_type",
    "to_python_columns",
    "to_python_rows",
    "to_row_data",
    "with_row_kind",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.arrow": ("compute",),
        "table_common.arrow.batch_converter": ("RowBatchConverter",),
        "table_common.arrow.changelog": ("RemainingRows", "apply_changes"),
        "table_common.arrow.columnar_row": ("ColumnarArrayData", "ColumnarMapData", "ColumnarRowData", "columnar_rows"),
        "table_common.arrow.conforming": ("conform_array",),
        "table_common.arrow.filters": ("to_arrow_filter",),
        "table_common.arrow.from_python": ("build_column",),
        "table_common.arrow.in_memory_table": ("InMemoryTable", "in_memory_table"),
        "table_common.arrow.python_lookup": ("PythonLookupFunction",),
        "table_common.arrow.record_batch": ("conform", "from_python_columns", "from_python_rows", "to_python_columns", "to_python_rows"),
        "table_common.arrow.row_data_batch": ("ROW_KIND_COLUMN", "from_row_data", "to_row_data"),
        "table_common.arrow.schema": (
            "LOGICAL_TYPE_KEY",
            "from_arrow_field",
            "from_arrow_schema",
            "to_arrow_field",
            "to_arrow_schema",
            "to_arrow_type",
        ),
        "table_common.arrow.staged_sink": ("StagedTableSink",),
        "table_common.arrow.streams": (
            "import_batch",
            "import_batches",
            "split_row_kinds",
            "stream_of_batches",
            "table_of_batches",
            "with_row_kind",
        ),
        "table_common.arrow.table_source": ("ArrowTableSource", "RowSelection"),
        "table_common.arrow.time_units": ("in_units_of_precision",),
        "table_common.arrow.to_python": ("column_values",),
    },
)


def _from_arrow(array: pa.Array, element_type: LogicalType) -> list[Any]:
    from table_common.arrow.row_data_batch import elements_from_arrow

    return elements_from_arrow(array, element_type)


def _to_arrow(values: Sequence[Any], element_type: LogicalType, serializers: Mapping[str, TypeSerializer[Any]] | None) -> pa.Array:
    from table_common.arrow.row_data_batch import elements_to_arrow

    return elements_to_arrow(values, element_type, serializers)


register_arrow_elements(ArrowElements(_from_arrow, _to_arrow))
