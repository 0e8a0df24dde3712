"""Files of partitions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from table_common.connector import FileSinkProvider
from table_common.types import IntType, RowType, VarCharType
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.sinks import partition_files
from table_runtime.sinks.partition_files import PartitionFiles

TYPE = RowType.of([("id", IntType()), ("p", VarCharType())], nullable=False)


def rows(*pairs: tuple[int, str]) -> pa.RecordBatch:
    ids, keys = zip(*pairs, strict=True)
    return pa.record_batch({"id": pa.array(ids, pa.int32()), "p": pa.array(keys)})


def files(folder: Path, keys: tuple[str, ...]) -> PartitionFiles:
    def path_of(name: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    return PartitionFiles(FileSinkProvider("t", "csv", TYPE, {}, keys), path_of, "part")


def contents(folder: Path) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.csv")):
        texts.setdefault(str(path.parent.relative_to(folder)), []).append(path.read_text().replace("\n", ";"))
    return texts


def test_rows_without_partitions_are_one_file(tmp_path: Path) -> None:
    writer = files(tmp_path, ())
    writer.write(rows((1, "a")))
    writer.write(rows((2, "b")))
    writer.close()
    assert contents(tmp_path) == {".": ["1,a;2,b;"]}


def test_each_partition_is_one_file_without_its_key(tmp_path: Path) -> None:
    writer = files(tmp_path, ("p",))
    writer.write(rows((1, "a"), (2, "b")))
    writer.write(rows((3, "a")))
    writer.close()
    assert contents(tmp_path) == {"p=a": ["1;3;"], "p=b": ["2;"]}
    assert writer.folders == {"p=a", "p=b"}


def test_no_rows_are_lost_beyond_the_limits_of_buffer_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_files, "BUFFERED_BYTES", 1)
    monkeypatch.setattr(partition_files, "MOST_OPEN_FILES", 1)
    writer = files(tmp_path, ("p",))
    for start in (0, 10):
        writer.write(rows(*((start + i, "abc"[i % 3]) for i in range(6))))
    writer.close()
    found = contents(tmp_path)
    numbers = {folder: sorted(int(n) for text in texts for n in text.split(";") if n) for folder, texts in found.items()}
    assert numbers == {"p=a": [0, 3, 10, 13], "p=b": [1, 4, 11, 14], "p=c": [2, 5, 12, 15]}


def test_a_partition_whose_rows_are_written_early_is_still_one_file(tmp_path: Path) -> None:
    writer = files(tmp_path, ("p",))
    writer.write(rows(*((number, "a") for number in range(BATCH_ROWS // 2)), (-1, "b")))
    assert "0;1;2;" in contents(tmp_path)["p=a"][0]
    writer.write(rows((-2, "a"), (-3, "b")))
    writer.close()
    found = contents(tmp_path)
    assert (found["p=b"], [text[-4:] for text in found["p=a"]]) == (["-1;-3;"], [";-2;"])


def test_nothing_is_written_of_no_rows(tmp_path: Path) -> None:
    writer = files(tmp_path, ("p",))
    writer.close()
    assert (contents(tmp_path), writer.folders) == ({}, set())
