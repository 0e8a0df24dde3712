"""Conversions to and from Arrow: types, schemas, record batches. The only package of table_common that imports pyarrow."""

from table_common.arrow.lazy_elements import register_elements
from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .: compute
    .batch_converter: RowBatchConverter
    .changelog: RemainingRows apply_changes
    .columnar_row: ColumnarArrayData ColumnarMapData ColumnarRowData columnar_rows
    .conforming: conform_array
    .filters: to_arrow_filter
    .from_python: build_column
    .in_memory_table: InMemoryTable in_memory_table
    .python_lookup: PythonLookupFunction
    .record_batch: conform from_python_columns from_python_rows to_python_columns to_python_rows
    .row_data_batch: from_row_data to_row_data
    .schema: LOGICAL_TYPE_KEY ROW_KIND_COLUMN from_arrow_field from_arrow_schema to_arrow_field to_arrow_schema to_arrow_type
    .staged_sink: StagedTableSink
    .streams: import_batch import_batches rows_and_kinds split_row_kinds stream_of_batches table_of_batches with_row_kind
    .table_source: ArrowTableSource RowSelection
    .time_units: in_units_of_precision
    .to_python: column_values
    .without_pandas: arrow_array arrow_scalar
    """,
)

register_elements()
