"""Which providers Spark can read and write."""

from __future__ import annotations

from table_common.connector import FileScanProvider, FileSinkProvider
from table_common.types import IntType, RowType
from table_planner_spark.scan.providers import why_unsupported

ROW = RowType.of([("a", IntType())], nullable=False)


def test_files_are_read_and_written() -> None:
    assert why_unsupported(FileScanProvider(("/data/t",), "csv", ROW, ROW)) is None
    assert why_unsupported(FileSinkProvider("/data/t", "csv", ROW)) is None


def test_a_provider_of_an_unknown_class_is_refused_by_its_name() -> None:
    assert why_unsupported(object()) == "it does not know the runtime provider object"
