from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import fsspec
import pytest

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import AllowedUrl
from table_common.types import BigIntType, RowType, VarCharType, parse_logical_type
from table_runtime.files import TableFiles, inferred_schema, remote
from table_runtime.files.remote import RemoteFile
from table_runtime.formats import file_format

COLUMNS = {"a": "INT", "s": "STRING"}


@pytest.fixture
def memory() -> Any:
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/table", recursive=True)


def row_of(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def read(provider: FileScanProvider) -> list[tuple[Any, ...]]:
    files = TableFiles(provider, "t")
    batches = [piece() for file in files.listed() for piece in files.pieces(file)]
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("format_", ["json", "csv", "parquet", "orc", "avro"])
def test_files_are_read_by_url(memory: Any, batches: Any, tmp_path: Path, format_: str) -> None:
    writer = file_format(format_).open_writer(tmp_path / "f", row_of(COLUMNS), {})
    writer.write(batches.batch(COLUMNS, [(1, "x"), (2, None if format_ != "csv" else "")]))
    writer.close()
    memory.pipe("/table/p=q/f", (tmp_path / "f").read_bytes())
    memory.pipe("/table/_hidden", b"")
    wanted = RowType.of(
        [*((f.name, f.type) for f in row_of(COLUMNS).fields), ("p", VarCharType()), ("name", VarCharType()), ("size", BigIntType())]
    )
    provider = FileScanProvider(
        ("memory://table",), format_, row_of(COLUMNS), wanted, partition_keys=("p",), metadata={"name": "file.name", "size": "file.size"}
    )
    size = (tmp_path / "f").stat().st_size
    assert read(provider) == [(1, "x", "q", "f", size), (2, None if format_ != "csv" else "", "q", "f", size)]


def test_columns_are_found_by_url(memory: Any) -> None:
    memory.pipe("/table/f", b'{"a": 1}\n')
    found = inferred_schema("memory://table", "json", {}, "none")
    assert found is not None
    assert found.row_type.field_names == ("a",)


def test_a_url_with_nothing_below_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="'memory://nothing' of the table does not exist"):
        read(FileScanProvider(("memory://nothing",), "json", row_of(COLUMNS), row_of(COLUMNS)))


def test_a_scheme_without_a_file_system_is_an_error_with_a_hint() -> None:
    with pytest.raises(ValidationException, match="no file system is installed for 'nosuch'"):
        read(FileScanProvider(("nosuch://x",), "json", row_of(COLUMNS), row_of(COLUMNS)))


class Deleted(io.BytesIO):
    """A file of an object store: it is deleted after the first read, and the later ones fail."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise FileNotFoundError("The specified key does not exist.")
        return super().read(size)


@pytest.mark.parametrize("size", [10, 2_500_000, -1])
def test_a_file_that_is_moved_while_it_is_read_is_read_to_its_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(range(256)) * 10_000
    opened = {"s3://b/t/.table-epochs/f": Deleted, "s3://b/t/f": io.BytesIO}
    monkeypatch.setattr(remote, "_opened", lambda url, mode: opened[url](content))
    with RemoteFile(AllowedUrl("s3://b/t/.table-epochs/f"), AllowedUrl("s3://b/t/f")).open() as file:
        assert b"".join(iter(lambda: file.read(size), b"")) == content
        assert (file.seek(-3, io.SEEK_END), file.read()) == (len(content) - 3, content[-3:])


def test_a_file_that_is_at_neither_place_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_opened", lambda url, mode: Deleted(bytes(3_000_000)))
    with RemoteFile(AllowedUrl("s3://b/a"), AllowedUrl("s3://b/f")).open() as file, pytest.raises(FileNotFoundError):
        file.read()
