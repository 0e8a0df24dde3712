"""Files read by Spark's own readers, with explicit schemas and options, and Flink's reading of text.

Which files those are says ``table_planner_spark.scan.file_listing``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from table_api_bridge import to_spark_type
from table_common.catalog import ResolvedSchema
from table_common.connector import FileScanProvider
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import ArrayType, BinaryStringType, CharacterType, LogicalType
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.names import quote_name, quote_text
from table_planner_spark.scan.file_listing import FileListing
from table_planner_spark.scan.parquet_columns import has_names_of_other_case, require_parquet_columns
from table_planner_spark.scan.text_leaves import decode_leaf, decode_tree, text_tree
from table_runtime.files import local_path, visible_files
from table_runtime.formats import compression_of

__all__ = ["FILE_FORMATS", "FILE_METADATA", "csv_dialect", "is_native", "read_files"]

_BAD_ROW = "__bad_row"

# Spark's path is a URL.
_PATH = "url_decode(replace(regexp_replace(_metadata.file_path, '^[a-zA-Z0-9+.-]+:(//[^/]*)?', ''), '+', '%2B'))"
FILE_METADATA = {
    "file.path": _PATH,
    "file.name": f"substring_index({_PATH}, '/', -1)",
    "file.size": "_metadata.file_size",
    "file.modification-time": "_metadata.file_modification_time",
}
"""Spark SQL of what ``FileScanProvider`` calls metadata."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """A reader's DataFrame and the SQL text of each produced data column in it.

    ``names`` are all columns of the DataFrame, if those that are produced stand in it as they are.
    """

    frame: DataFrame
    columns: Mapping[str, str]
    names: tuple[str, ...] | None = None


def is_native(provider: FileScanProvider) -> bool:
    """Returns whether Spark's own reader gives the rows; all other files are read in Python workers by our readers."""
    options = provider.format_options
    return (
        provider.format in FILE_FORMATS
        and all(key in FILE_METADATA for key in provider.metadata.values())
        and not (provider.format == "json" and options.get("fail-on-missing-field", "false").lower() == "true")
        and not (provider.format == "parquet" and provider.nulls_for_missing_columns and has_names_of_other_case(provider))
        and not (provider.format in ("csv", "json") and any(map(_has_foreign_compression, provider.paths)))
    )


def _has_foreign_compression(path: str) -> bool:
    """Returns whether there are files that Spark's readers would take for plain text."""
    try:
        return any(compression_of(name) in ("XZ", "ZSTD") for name, _ in visible_files(local_path(path)))
    except (TableException, TableRuntimeException, OSError):  # Spark says what is wrong with the path
        return False


def read_files(provider: FileScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext) -> Lowered:
    """Reads the produced columns of the files; partition keys come from the names of folders."""
    wanted = [name for name in provider.produced_type.field_names if name not in provider.partition_keys and name not in provider.metadata]
    scan = FILE_FORMATS[provider.format](provider, wanted, context)
    if scan.names is not None and len(wanted) == len(provider.produced_type.fields) > 0 and context.claim(scan.names, where):
        return Lowered(scan.frame, wanted, scan.names)
    names = context.new_names(provider.produced_type.field_names)
    texts = []
    for name, field in zip(names, provider.produced_type.fields, strict=True):
        if field.name in provider.metadata:
            text = FILE_METADATA[provider.metadata[field.name]]
        elif field.name in wanted:
            text = scan.columns[field.name]
        else:
            text = _partition_value(field.name, field.type, provider)
        texts.append(f"{text} AS {quote_name(name)}")
    return Lowered(scan.frame, ()).select(texts, names)


def _partition_value(name: str, type_: LogicalType, provider: FileScanProvider) -> str:
    text = quote_name(name)
    if provider.partition_default_name != "__HIVE_DEFAULT_PARTITION__":  # which Spark reads as NULL itself
        text = f"nullif({text}, {quote_text(provider.partition_default_name)})"
    return decode_leaf(text, type_, lenient=False)


def _load(
    provider: FileScanProvider,
    format_: str,
    columns: Sequence[str],
    fields: Callable[[], Sequence[StructField]],
    options: Mapping[str, str],
    context: LoweringContext,
) -> DataFrame:
    """Returns the DataFrame of the columns, to which the format and the table's types give the fields."""
    key = (
        *(format_, provider.paths, provider.physical_type, tuple(columns), tuple(options.items()), provider.partition_keys),
        *(provider.partitions, bool(provider.metadata)),
    )
    listing = FileListing(provider, context.snapshots)

    def make() -> DataFrame:
        schema = StructType([*fields(), *(StructField(key, StringType()) for key in provider.partition_keys)])
        frame = listing.read(context.spark, context.spark.read.format(format_).schema(schema).options(**options), schema)
        return frame.select("*", "_metadata") if provider.metadata and "_metadata" not in frame.columns else frame

    return context.known_files.frame(listing.files, key, make)


def _read_parquet(provider: FileScanProvider, wanted: Sequence[str], context: LoweringContext) -> _Scan:
    if not provider.nulls_for_missing_columns:
        require_parquet_columns(provider, wanted, context.spark)
    types = {field.name: field.type for field in provider.physical_type.fields}
    # All columns, so that other statements can use the reader too: Spark reads those that are used.
    columns = list(types)

    def fields() -> list[StructField]:
        return [StructField(name, to_spark_type(types[name])) for name in columns]

    try:
        frame = _load(provider, "parquet", columns, fields, {"mergeSchema": "false"}, context)
    except TableException:  # a column that nobody reads may have a type that Spark lacks
        columns = list(wanted)
        frame = _load(provider, "parquet", columns, fields, {"mergeSchema": "false"}, context)
    names = None if provider.metadata else (*columns, *provider.partition_keys)
    return _Scan(frame, {name: quote_name(name) for name in wanted}, names)


def csv_dialect(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options of Spark's reader and writer for Flink's CSV options."""
    quoted = options.get("disable-quote-character", "false").lower() != "true"
    quote = options.get("quote-character", '"') if quoted else ""
    return {
        "sep": _unescape(options.get("field-delimiter", ",")),
        "quote": quote,
        # Doubling the quote is how a quote is written where no character escapes.
        "escape": options.get("escape-character", quote if quoted else ""),
        "header": "false",
        "encoding": "UTF-8",
    }


def _unescape(text: str) -> str:
    return {"\\t": "\t", "\\n": "\n", "\\r": "\r"}.get(text, text.encode().decode("unicode_escape") if text.startswith("\\u") else text)


def _read_csv(provider: FileScanProvider, wanted: Sequence[str], context: LoweringContext) -> _Scan:
    options = provider.format_options
    lenient = options.get("ignore-parse-errors", "false").lower() == "true"
    dialect = csv_dialect(options)
    fields = [StructField(f"__{position}", StringType()) for position in range(len(provider.physical_type.fields))]
    frame = _load(
        provider,
        "csv",
        (),
        lambda: [*fields, StructField(_BAD_ROW, StringType())],
        {
            **dialect,
            "comment": "#" if options.get("allow-comments", "false").lower() == "true" else "",
            "columnNameOfCorruptRecord": _BAD_ROW,
            "columnPruning": "false",  # a row is judged by all of its columns, whichever are read
            "maxCharsPerColumn": "-1",
            "mode": "PERMISSIVE",
            "multiLine": "true" if dialect["quote"] else "false",
            "nullValue": "",
        },
        context,
    )
    if lenient:
        # A row with too many columns is left out; one with too few has NULLs.
        too_many = f"size(split({_BAD_ROW}, {quote_text(re.escape(dialect['sep']))}, -1)) > {len(fields)}"
        frame = frame.where(f"{_BAD_ROW} IS NULL OR NOT ({too_many})")
    positions = {field.name: position for position, field in enumerate(provider.physical_type.fields)}
    types = {field.name: field.type for field in provider.physical_type.fields}
    return _Scan(frame, {name: _csv_value(f"__{positions[name]}", types[name], options, lenient, len(fields)) for name in wanted})


def _csv_value(column: str, type_: LogicalType, options: Mapping[str, str], lenient: bool, width: int) -> str:
    null_literal = options.get("null-literal")
    text = column
    if isinstance(type_, (CharacterType, BinaryStringType)):
        # Spark reads nothing between two separators as NULL; it is the empty text, unless the row ended before.
        text = f"if({_BAD_ROW} IS NULL, coalesce({column}, ''), {column})"
    if null_literal is not None:
        text = f"nullif({text}, {quote_text(null_literal)})"
    if isinstance(type_, ArrayType):
        separator = quote_text(re.escape(options.get("array-element-delimiter", ";")))
        item = decode_leaf("__item", type_.element_type, lenient=lenient)
        value = f"transform(split({text}, {separator}, -1), __item -> {item})"
    else:
        value = decode_leaf(text, type_, lenient=lenient)
    if lenient:
        return value
    message = f"concat('A row of a CSV file does not have {width} columns: ', {_BAD_ROW})"
    return f"if({_BAD_ROW} IS NOT NULL, raise_error({message}), {value})"


def _read_json(provider: FileScanProvider, wanted: Sequence[str], context: LoweringContext) -> _Scan:
    options = provider.format_options
    lenient = options.get("ignore-parse-errors", "false").lower() == "true"
    iso = _is_iso(options)
    types = {field.name: field.type for field in provider.physical_type.fields}
    frame = _load(
        provider,
        "json",
        wanted,
        lambda: [StructField(name, text_tree(types[name])) for name in wanted],
        {"mode": "DROPMALFORMED" if lenient else "FAILFAST", "encoding": "UTF-8", "prefersDecimal": "true"},
        context,
    )
    return _Scan(frame, {name: decode_tree(quote_name(name), types[name], lenient=lenient, iso=iso) for name in wanted})


def _is_iso(options: Mapping[str, str]) -> bool:
    standard = options.get("timestamp-format.standard", "SQL")
    if standard not in ("SQL", "ISO-8601"):
        raise ValidationException(f"Option 'json.timestamp-format.standard' takes 'SQL' or 'ISO-8601', but got '{standard}'.")
    return standard == "ISO-8601"


FILE_FORMATS: dict[str, Callable[[FileScanProvider, Sequence[str], LoweringContext], _Scan]] = {
    "csv": _read_csv,
    "json": _read_json,
    "parquet": _read_parquet,
}
"""How the files of each format are read."""
