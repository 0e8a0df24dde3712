"""Writes files into a hidden folder and publishes them as one change when all are complete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from pyspark.sql import DataFrame

from table_common.connector import FileSinkProvider
from table_common.types import RowType
from table_planner_spark.expressions.python_boundary import encode_sql
from table_planner_spark.file_types import has_nanoseconds
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.sink.arrow_sink import ArrowWrite, plan_arrow_write
from table_runtime.files import FileChanges, is_remote
from table_runtime.sinks import StagedFiles


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A prepared write; its columns are encoded for the format.

    With ``row_type``, our own writer writes the files in Python workers, and the columns have transport types.
    """

    provider: FileSinkProvider
    frame: DataFrame
    row_type: RowType | None = None

    def run(self, frame: DataFrame, changes: FileChanges, write_id: str, begin_commit: Callable[[], None]) -> None:
        """Writes the files as part of a job's changes."""
        part = changes.part(self.provider.path)
        if not is_remote(self.provider.path):
            Path(part.folder).mkdir(exist_ok=True)
            adapter_of(frame.sparkSession).require_shared_folder(frame.sparkSession, Path(part.folder))
        if self.row_type is not None:
            sink = StagedFiles(self.provider, part.folder)
            ArrowWrite(sink, frame, self.row_type).run(frame, changes, write_id, begin_commit)
        else:
            writer = frame.write.format(self.provider.format).mode("append").options(**_options(self.provider))
            # Not as_uri: Spark does not decode the path after the scheme, so %20 would not be a space.
            writer.save(f"file://{part.folder}")
        folders = {str(PurePath(name).parent) for name in part.adopt()}
        part.mark_partitions(self.provider, folders)
        if self.provider.overwrite:
            part.overwrite(self.provider, folders)


def plan_file_write(provider: FileSinkProvider, node: SparkRelation) -> FileWrite:
    """Returns the write of a query's rows, whose columns are those of the consumed type in order."""
    if not _is_native(provider):
        row_type = provider.consumed_type
        return FileWrite(provider, plan_arrow_write(StagedFiles(provider, ""), node, row_type).frame, row_type)
    columns = zip(node.columns, provider.consumed_type.fields, strict=True)
    texts = [f"{encode_sql(quote_name(name), field.type)} AS {quote_name(field.name)}" for name, field in columns]
    return FileWrite(provider, node.frame.selectExpr(*texts))


def _is_native(provider: FileSinkProvider) -> bool:
    """Returns whether Spark's own writer writes the files: it supports the format and all options, and there are no partitions.

    Spark's writer takes tens of milliseconds for each file of a partition, and cannot represent every value in a folder name. On a remote file system it would need
    libraries of Java and its own options for the access.
    """
    known = _NATIVE_OPTIONS.get(provider.format)
    if known is None or is_remote(provider.path) or provider.partition_keys or not all(key in known for key in provider.format_options):
        return False
    # Spark would write TIME(9) and TIMESTAMP(9) as plain numbers.
    return not has_nanoseconds(provider.consumed_type)


def _options(provider: FileSinkProvider) -> dict[str, str]:
    # No marker file: it would be published with the data.
    common = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
    return {**common, **{key: value for key, value in provider.format_options.items() if key == "compression"}}


_NATIVE_OPTIONS = {"parquet": {"compression"}}
"""The options that Spark's own writers support, by format. CSV and JSON are missing: Spark formats some values differently from Flink."""
