from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ReadableConfig
from table_common.connector import FileScanProvider, FileSinkProvider, ScanTableSource
from table_common.connector.sink import DynamicTableSink
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.factories import DynamicTableFactory
from table_common.functions.builtin.comparison import EQUALS
from table_common.types import BooleanType, IntType, RowType, VarCharType
from table_runtime.batch.values import Values
from table_runtime.connectors.filesystem import FileSystemTableFactory, FileSystemTableSource
from table_runtime.connectors.filesystem_sink import FileSystemTableSink
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_files import ScanFiles
from table_runtime.sinks.file_sink import FileSink
from table_runtime.sinks.partition_files import PartitionFiles

FIELDS = [("a", IntType()), ("s", VarCharType()), ("p", VarCharType())]
ROW = RowType.of(FIELDS, nullable=False)
Rows = list[tuple[Any, ...]]


def context_of(options: dict[str, str], partition_keys: tuple[str, ...] = ()) -> DynamicTableFactory.Context:
    origin = CatalogTable(Schema(()), options=options, partition_keys=partition_keys)
    table = ResolvedCatalogTable(origin, ResolvedSchema.physical(FIELDS))
    return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())


class Table:
    """A table in a folder, written and read without a planner."""

    def __init__(self, path: Path, format_: str, partition_keys: tuple[str, ...] = ()) -> None:
        self.context = context_of({"connector": "filesystem", "path": str(path), "format": format_}, partition_keys)

    def source(self) -> FileSystemTableSource:
        source = FileSystemTableFactory().create_dynamic_table_source(self.context)
        assert isinstance(source, FileSystemTableSource)
        return source

    def sink(self) -> FileSystemTableSink:
        sink = FileSystemTableFactory().create_dynamic_table_sink(self.context)
        assert isinstance(sink, FileSystemTableSink)
        return sink

    def write(
        self,
        rows: Rows,
        *,
        overwrite: bool = False,
        partition: dict[str, str] | None = None,
        fail: bool = False,
        batch_rows: int = 1000,
    ) -> int:
        sink = self.sink()
        sink.apply_overwrite(overwrite)
        sink.apply_static_partition(partition or {})
        provider = sink.get_sink_runtime_provider(DynamicTableSink.SinkContext())
        assert isinstance(provider, FileSinkProvider)
        schema = to_arrow_schema(ROW)

        def make() -> list[pa.RecordBatch]:
            batch = pa.RecordBatch.from_arrays(
                [pa.array([row[i] for row in rows], type=field.type) for i, field in enumerate(schema)], schema=schema
            )
            batches = [batch.slice(start, batch_rows) for start in range(0, len(rows), batch_rows)]
            return [*batches, "no batch"] if fail else batches  # type: ignore[list-item]  # what a broken input may do

        run = ExecutionContext(parallelism=1)
        try:
            (result,) = FileSink(Values(schema, make, len(rows)), provider, "t").batches(run)
            run.commit()
        finally:
            run.close()
        written: int = result.column(0)[0].as_py()
        return written

    def read(self, source: FileSystemTableSource | None = None) -> Rows:
        provider = (source or self.source()).get_scan_runtime_provider(ScanTableSource.ScanContext())
        assert isinstance(provider, FileScanProvider)
        run = ExecutionContext(parallelism=2)
        try:
            batches = list(ScanFiles(provider, to_arrow_schema(provider.produced_type), "t").batches(run))
        finally:
            run.close()
        return sorted((row for b in batches for row in zip(*(c.to_pylist() for c in b.columns), strict=True)), key=repr)


@pytest.mark.parametrize("format_", ["csv", "json", "parquet"])
@pytest.mark.parametrize("keys", [(), ("p",), ("p", "a")])
def test_rows_written_are_read_back(tmp_path: Path, format_: str, keys: tuple[str, ...]) -> None:
    table = Table(tmp_path / "t", format_, keys)
    rows = [(1, "x", "p/1"), (2, "y", "p=2"), (3, "z", "p/1")]
    assert table.write(rows) == 3
    assert table.write([(4, "w", "new")]) == 1
    assert table.read() == [*rows, (4, "w", "new")]


def test_a_null_partition_goes_under_the_default_name(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "parquet", ("p",))
    table.write([(1, "x", None)])
    assert table.read() == [(1, "x", None)]
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["p=__HIVE_DEFAULT_PARTITION__"]


def test_overwriting_replaces_the_whole_table(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "json")
    table.write([(1, "x", "p")])
    table.write([(2, "y", "q")], overwrite=True)
    assert table.read() == [(2, "y", "q")]


def test_overwriting_replaces_only_the_partitions_that_are_written(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "csv", ("p",))
    table.write([(1, "x", "p"), (2, "y", "q")])
    table.write([(3, "z", "q")], overwrite=True)
    assert table.read() == [(1, "x", "p"), (3, "z", "q")]


def test_overwriting_a_named_partition_with_nothing_empties_it(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "csv", ("p",))
    table.write([(1, "x", "p"), (2, "y", "q")])
    table.write([], overwrite=True, partition={"p": "q"})
    assert table.read() == [(1, "x", "p")]


def test_a_job_that_fails_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "parquet", ("p",))
    table.write([(1, "x", "p")])
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    with pytest.raises(AttributeError):
        table.write([(2, "y", "q")], overwrite=True, fail=True)
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_writing_no_rows_makes_a_table_that_can_be_read(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "csv")
    assert table.write([]) == 0
    assert table.read() == []


def test_more_partitions_than_open_files_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.sinks.partition_files.MOST_OPEN_FILES", 2)
    table = Table(tmp_path / "t", "json", ("p",))
    rows = [(n, "x", f"p{n % 5}") for n in range(10)]
    table.write(rows)
    assert table.read() == rows


def test_a_partition_has_one_file_however_many_batches_come(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "json", ("p",))
    table.write([(n, "x", f"p{n % 5}") for n in range(50)], batch_rows=7)
    assert sorted(path.parent.name for path in (tmp_path / "t").rglob("*.json")) == ["p=p0", "p=p1", "p=p2", "p=p3", "p=p4"]


def test_the_fullest_partitions_are_written_when_too_much_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("table_runtime.sinks.partition_files.BUFFERED_BYTES", 1)
    monkeypatch.setattr(PartitionFiles, "_writer", recording(PartitionFiles._writer, opened))
    table = Table(tmp_path / "t", "json", ("p",))
    rows = [(1, "x", "a"), (2, "x", "b"), (3, "x", "b"), (4, "x", "b"), (5, "x", "c")]
    table.write(rows)
    assert opened == ["p=b", "p=a", "p=c"]
    assert sorted(table.read()) == rows


def test_rows_of_a_partition_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.sinks.partition_files.BUFFERED_BYTES", 200)
    table = Table(tmp_path / "t", "json", ("p",))
    rows = [(n, "x" * (n % 7), f"p{n % 3}") for n in range(100)]
    table.write(rows, batch_rows=9)
    lines = [path.read_text() for path in sorted((tmp_path / "t" / "p=p1").iterdir())]
    assert [json.loads(line)["a"] for line in "".join(lines).splitlines()] == [a for a, _, p in rows if p == "p1"]


def recording(method: Any, calls: list[str]) -> Any:
    def recorded(self: Any, folder: str) -> Any:
        calls.append(folder)
        return method(self, folder)

    return recorded


def equals(name: str, index: int, value: Any, type_: Any) -> CallExpression:
    reference = FieldReferenceExpression(name, type_, 0, index)
    return CallExpression(EQUALS, (reference, ValueLiteralExpression(value, type_)), BooleanType())


def test_filters_skip_partitions_and_remain(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "parquet", ("p",))
    table.write([(1, "x", "p"), (2, "y", "q"), (3, "z", "q")])
    (tmp_path / "t" / "p=p" / "broken.parquet").write_text("never read")
    source = table.source()
    filters = [equals("p", 2, "q", VarCharType()), equals("a", 0, 3, IntType())]
    result = source.apply_filters(filters)
    assert result.accepted_filters == result.remaining_filters == tuple(filters)
    assert table.read(source) == [(2, "y", "q"), (3, "z", "q")]  # small files are read whole


def test_projection_and_limit_reach_the_scan(tmp_path: Path) -> None:
    table = Table(tmp_path / "t", "csv", ("p",))
    table.write([(1, "x", "p"), (2, "y", "q")])
    source = table.source()
    source.apply_projection([(2,), (0,)], RowType.of([FIELDS[2], FIELDS[0]], nullable=False))
    assert table.read(source) == [("p", 1), ("q", 2)]
    source.apply_limit(1)
    assert table.read(source) == [("p", 1)]


def test_a_copy_does_not_see_what_is_applied_to_the_other(tmp_path: Path) -> None:
    source = Table(tmp_path, "csv").source()
    copy = source.copy()
    copy.apply_limit(1)
    assert source.limit is None


def test_reading_a_path_that_is_not_there_names_it(tmp_path: Path) -> None:
    with pytest.raises(TableRuntimeException, match="nowhere"):
        Table(tmp_path / "nowhere", "csv").read()


def test_one_file_can_be_a_table(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("1,x,p\n")
    assert Table(tmp_path / "one.csv", "csv").read() == [(1, "x", "p")]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"format": "csv"}, "missing: path"),
        ({"path": "x"}, "missing: format"),
        ({"path": "x", "format": "csv", "pth": "y"}, "unknown: 'pth'"),
        ({"path": "x", "format": "paquet"}, "Did you mean 'parquet'. Installed formats: "),
        ({"path": "x", "format": "csv", "csv.field-delimitr": ";"}, "field-delimiter"),
    ],
)
def test_options_are_checked_when_the_table_is_used(options: dict[str, str], text: str) -> None:
    with pytest.raises(TableError, match=text):
        FileSystemTableFactory().create_dynamic_table_source(context_of({"connector": "filesystem", **options}))


def test_an_unknown_partition_column_is_an_error() -> None:
    with pytest.raises(ValidationException, match="'nope'"):
        FileSystemTableFactory().create_dynamic_table_sink(context_of({"path": "x", "format": "csv"}, ("nope",)))
