"""Files written by Spark's own writers into a hidden folder, and published as one change when all are complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from pyspark.sql import DataFrame

from table_common.connector import FileSinkProvider
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import (
    ArrayType,
    BinaryStringType,
    CharacterType,
    DateType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)
from table_planner_spark.context import Lowered
from table_planner_spark.expressions.boundary import encode_sql
from table_planner_spark.expressions.names import bind, quote_name, quote_text, to_type_sql
from table_planner_spark.file_types import has_nanoseconds, refuse_fine_times
from table_planner_spark.scan.files import csv_dialect
from table_planner_spark.scan.text_leaves import encode_leaf
from table_planner_spark.sink.arrow_sink import ArrowWrite, plan_arrow_write
from table_runtime.files import FileChanges, local_path
from table_runtime.operators import StagedFiles

__all__ = ["FileWrite", "plan_file_write"]


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A write that is ready to start: columns encoded for the format.

    With ``row_type`` our own writer makes the files, in Python workers, and columns are encoded for the way there.
    """

    provider: FileSinkProvider
    frame: DataFrame
    row_type: RowType | None = None

    def stage(self, frame: DataFrame, changes: FileChanges, write_id: str) -> None:
        """Writes the files as part of a job's changes; ``frame`` is ``self.frame``, perhaps observed."""
        part = changes.part(str(_local_path(self.provider.path)))
        if self.row_type is not None:
            sink = StagedFiles(self.provider, str(part.folder))
            ArrowWrite(sink, frame, self.row_type).run(frame, write_id)
        else:
            writer = frame.write.format(self.provider.format).mode("append").options(**_options(self.provider))
            # Not as_uri: Spark takes what follows the scheme as it is, so that %20 would not be a space.
            writer.save(f"file://{part.folder}")
        added = part.adopt()
        if self.provider.overwrite:
            part.overwrite(self.provider, {str(PurePath(name).parent) for name in added})


def plan_file_write(provider: FileSinkProvider, node: Lowered) -> FileWrite:
    """Returns the write of a query's rows, whose columns are those of the consumed type in order."""
    refuse_fine_times(provider.consumed_type, f"the table at '{provider.path}'")
    if not _is_native(provider):
        row_type = provider.consumed_type
        return FileWrite(provider, plan_arrow_write(StagedFiles(provider, ""), node, row_type).frame, row_type)
    encode = _ENCODERS[provider.format]
    texts = []
    for name, field in zip(node.columns, provider.consumed_type.fields, strict=True):
        value = encode(quote_name(name), field.type, provider.format_options)
        texts.append(f"{value} AS {quote_name(field.name)}")
    return FileWrite(provider, node.frame.selectExpr(*texts))


def _is_native(provider: FileSinkProvider) -> bool:
    """Returns whether Spark's own writer makes the files: it knows the format and all options, and there are no partitions.

    Spark's writer takes tens of milliseconds for each file of a partition, and cannot write every value into the name of a folder.
    """
    known = _NATIVE_OPTIONS.get(provider.format)
    if known is None or provider.partition_keys or not all(key in known for key in provider.format_options):
        return False
    # Spark would write TIMESTAMP(9) as plain numbers.
    return not has_nanoseconds(provider.consumed_type)


def _local_path(path: str) -> Path:
    try:
        return local_path(path)
    except TableException as error:
        raise TableRuntimeException(
            f"The planner 'spark' cannot write to '{path}': Spark's own writers would show half of the files if the job failed, and what makes a "
            "change appear as a whole works on local file systems only.",
            hint="Use the planner 'arrow', which writes there, write to a mounted folder, or write the DataFrame of to_data_frame yourself.",
        ) from error


def _options(provider: FileSinkProvider) -> dict[str, str]:
    # No marker file: it would be published with the data.
    common = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
    options = provider.format_options
    match provider.format:
        case "csv":
            return {
                **common,
                **csv_dialect(options),
                "nullValue": options.get("null-literal", ""),
                "ignoreLeadingWhiteSpace": "false",
                "ignoreTrailingWhiteSpace": "false",
            }
        case "json":
            return {**common, "ignoreNullFields": options.get("encode.ignore-null-fields", "false")}
        case _:
            return {**common, **{key: value for key, value in options.items() if key == "compression"}}


def _encode_parquet(text: str, type_: LogicalType, options: Mapping[str, str]) -> str:
    return encode_sql(text, type_)


def _encode_csv(text: str, type_: LogicalType, options: Mapping[str, str]) -> str:
    if isinstance(type_, ArrayType):
        separator = quote_text(options.get("array-element-delimiter", ";"))
        return f"array_join(transform({text}, __item -> {encode_leaf('__item', type_.element_type)}), {separator}, '')"
    return encode_leaf(text, type_)


def _encode_json(text: str, type_: LogicalType, options: Mapping[str, str], depth: int = 0) -> str:
    item = f"__json{depth}"
    match type_:
        case ArrayType():
            return f"transform({text}, {item} -> {_encode_json(item, type_.element_type, options, depth + 1)})"
        case MapType() | MultisetType():
            value_type = type_.value_type if isinstance(type_, MapType) else None
            key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
            key = encode_leaf(f"{item}.key", key_type)
            value = f"{item}.value" if value_type is None else _encode_json(f"{item}.value", value_type, options, depth + 1)
            return f"map_from_entries(transform(map_entries({text}), {item} -> struct({key}, {value})))"
        case RowType() | StructuredType():

            def build(row: str) -> str:
                cells = []
                for field in type_.fields:
                    cells += [quote_text(field.name), _encode_json(f"{row}.{quote_name(field.name)}", field.type, options, depth + 1)]
                return f"if({row} IS NULL, NULL, named_struct({', '.join(cells)}))"

            return bind(text, build)
        case CharacterType():
            return text
        case BinaryStringType() | DateType() | TimeType() | TimestampType() | LocalZonedTimestampType() | YearMonthIntervalType():
            return encode_leaf(text, type_, iso=options.get("timestamp-format.standard") == "ISO-8601")
        case _:
            return f"CAST({text} AS {to_type_sql(type_)})"


_READING = {"ignore-parse-errors", "fail-on-missing-field", "allow-comments"}
_NATIVE_OPTIONS = {
    "csv": {
        *_READING,
        *("field-delimiter", "quote-character", "disable-quote-character", "escape-character", "null-literal", "array-element-delimiter"),
    },
    "json": {*_READING, "timestamp-format.standard", "encode.ignore-null-fields"},
    "parquet": {"compression"},
}
"""What Spark's own writers know, by format."""
_ENCODERS: dict[str, Callable[[str, LogicalType, Mapping[str, str]], str]] = {
    "csv": _encode_csv,
    "json": _encode_json,
    "parquet": _encode_parquet,
}
