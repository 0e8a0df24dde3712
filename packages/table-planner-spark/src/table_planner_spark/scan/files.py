"""Files read by Spark's own readers, with explicit schemas and options.

Spark's readers of CSV and JSON parse values differently from Flink's formats, in part without an error. The readers of ``table_runtime`` read
those files in Python workers, which is also faster.

``table_planner_spark.scan.file_listing`` selects the files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from table_api_bridge import to_spark_type
from table_common.catalog import ResolvedSchema
from table_common.connector import FileScanProvider
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import LogicalType, without_required_parts
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.names import quote_text
from table_planner_spark.file_types import has_fine_times
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.file_listing import FileListing
from table_planner_spark.scan.parquet_columns import (
    columns_with_finer_times,
    files_by_schema,
    has_names_of_other_case,
    has_other_types,
    has_times_unknown_to_spark,
    require_parquet_columns,
)
from table_planner_spark.scan.partition_texts import decode_partition
from table_planner_spark.scan.time_digits import bounds_of_stored_times, cut_times
from table_planner_spark.session.adapters import adapter_of
from table_runtime.files import is_remote

# Spark's path is a URL.
_PATH = "url_decode(replace(regexp_replace(_metadata.file_path, '^[a-zA-Z0-9+.-]+:(//[^/]*)?', ''), '+', '%2B'))"
FILE_METADATA = {
    "file.path": _PATH,
    "file.name": f"substring_index({_PATH}, '/', -1)",
    "file.size": "_metadata.file_size",
    "file.modification-time": "_metadata.file_modification_time",
}
"""Spark SQL for the metadata keys of ``FileScanProvider``."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """A reader's DataFrame and the SQL text of each produced data column in it.

    ``names`` are all columns of the DataFrame, if the produced columns are among them unchanged. ``finer`` are the columns whose timestamps
    may have more digits than their type.
    """

    frame: DataFrame
    columns: Mapping[str, str]
    names: tuple[str, ...] | None = None
    finer: Collection[str] = ()


def is_native(provider: FileScanProvider, spark: SparkSession) -> bool:
    """Returns whether Spark's own reader reads the files; otherwise our readers do, in Python workers."""
    adapter, remote = adapter_of(spark), {path.partition("://")[0] for path in provider.paths if is_remote(path)}
    if (
        provider.format not in FILE_FORMATS
        or not all(adapter.has_file_system(spark, scheme) for scheme in remote)
        or not all(key in FILE_METADATA for key in provider.metadata.values())
        or has_fine_times(provider.produced_type)
    ):
        return False
    files = files_by_schema(provider)
    return (
        not has_other_types(provider, files)
        and not has_times_unknown_to_spark(provider, files)
        and not (provider.nulls_for_missing_columns and has_names_of_other_case(provider, files))
    )


def read_files(provider: FileScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext) -> SparkRelation:
    """Reads the produced columns of the files; partition keys come from folder names."""
    elsewhere = {*provider.partition_keys, *provider.metadata, *provider.nested}
    wanted = [name for name in provider.produced_type.field_names if name not in elsewhere]
    try:
        scan = FILE_FORMATS[provider.format](
            provider, list(dict.fromkeys([*wanted, *(path[0] for path in provider.nested.values())])), context
        )
    except TableRuntimeException as error:
        name = where.removeprefix("the table '").removesuffix("'")
        raise TableRuntimeException(f"Table {name}: {error.message}", hint=error.hint) from error
    if scan.names is not None and len(wanted) == len(provider.produced_type.fields) > 0 and context.reserve_names(scan.names, where):
        return SparkRelation(scan.frame, wanted, scan.names)
    names = context.new_names(provider.produced_type.field_names)
    texts = []
    for name, field in zip(names, provider.produced_type.fields, strict=True):
        if field.name in provider.metadata:
            text = FILE_METADATA[provider.metadata[field.name]]
        elif field.name in provider.nested:
            column, *inside = provider.nested[field.name]
            text = ".".join([scan.columns[column], *map(quote_name, inside)])
            text = cut_times(text, field.type) if column in scan.finer else text
        elif field.name in wanted:
            text = scan.columns[field.name]
            text = cut_times(text, field.type) if field.name in scan.finer else text
        else:
            text = _partition_value(field.name, field.type, provider)
        texts.append(f"{text} AS {quote_name(name)}")
    bounds = bounds_of_stored_times(provider.filters, scan.columns, scan.finer)
    return SparkRelation(scan.frame, ()).select(texts, names, f" WHERE {' AND '.join(bounds)}" if bounds else "")


def _partition_value(name: str, type_: LogicalType, provider: FileScanProvider) -> str:
    text = quote_name(name)
    if provider.partition_default_name != "__HIVE_DEFAULT_PARTITION__":  # which Spark reads as NULL itself
        text = f"nullif({text}, {quote_text(provider.partition_default_name)})"
    return decode_partition(text, type_)


def _load(
    provider: FileScanProvider,
    format_: str,
    columns: Sequence[str],
    fields: Callable[[], Sequence[StructField]],
    options: Mapping[str, str],
    context: LoweringContext,
) -> DataFrame:
    """Returns the cached or a new DataFrame of the columns; ``fields`` returns their Spark fields."""
    key = (
        *(format_, provider.paths, provider.physical_type, tuple(columns), tuple(options.items()), provider.partition_keys),
        *(provider.partitions, bool(provider.metadata), id(context.spark)),
    )
    listing = FileListing(provider, context.snapshots)
    context.note_columns_of_files((*columns, *provider.partition_keys))

    def make() -> DataFrame:
        schema = StructType([*fields(), *(StructField(key, StringType()) for key in provider.partition_keys)])
        frame = listing.read(context.spark, context.spark.read.format(format_).schema(schema).options(**options), schema)
        return frame.select("*", "_metadata") if provider.metadata and "_metadata" not in frame.columns else frame

    return context.file_relations.frame(listing.files, key, make)


def _read_parquet(provider: FileScanProvider, wanted: Sequence[str], context: LoweringContext) -> _Scan:
    if not provider.nulls_for_missing_columns:
        require_parquet_columns(provider, wanted, context.spark, context.snapshots)
    types = {field.name: field.type for field in provider.physical_type.fields}
    # All columns, so that other statements can reuse the DataFrame; Spark reads only those that are used.
    columns = list(types)

    def fields() -> list[StructField]:
        return [StructField(name, to_spark_type(without_required_parts(types[name]))) for name in columns]

    try:
        frame = _load(provider, "parquet", columns, fields, {"mergeSchema": "false"}, context)
    except TableException:  # an unused column may have a type that Spark does not support
        columns = list(wanted)
        frame = _load(provider, "parquet", columns, fields, {"mergeSchema": "false"}, context)
    finer = columns_with_finer_times(provider, wanted, context.snapshots)
    names = None if provider.metadata or finer else (*columns, *provider.partition_keys)
    return _Scan(frame, {name: quote_name(name) for name in wanted}, names, finer)


FILE_FORMATS: dict[str, Callable[[FileScanProvider, Sequence[str], LoweringContext], _Scan]] = {
    "parquet": _read_parquet,
}
"""The reader of each format."""
