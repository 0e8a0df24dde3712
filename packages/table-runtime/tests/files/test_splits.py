"""Files of a table as splits of about the same size."""

from __future__ import annotations

import gzip
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.expressions import ValueLiteralExpression
from table_common.types import RowType, parse_logical_type
from table_runtime.files import Snapshots, begin_change
from table_runtime.files import splits as module
from table_runtime.files.splits import FileSplit, FileSplits

ROW = RowType.of([("a", parse_logical_type("INT"))], nullable=False)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    table.mkdir()
    return table


def splits_of(table: Path, parallelism: int = 1, *, format_: str = "json", **options: Any) -> FileSplits:
    return FileSplits(FileScanProvider((str(table),), format_, ROW, ROW, **options), "c.d.t", parallelism)


def described(splits: Any) -> list[list[tuple[str, tuple[int, int] | None]]]:
    return [[(file.path.name, file.byte_range) for file in split.files] for split in splits]


def rows(splits: FileSplits) -> list[int]:
    return [row["a"] for split in splits.splits() for batch in splits.read(pickle.loads(pickle.dumps(split))) for row in batch.to_pylist()]


def write(table: Path, name: str, first: int, count: int) -> int:
    text = "".join(f'{{"a":{number}}}\n' for number in range(first, first + count))
    (table / name).write_text(text)
    return len(text)


def test_small_files_are_read_one_after_the_other(table: Path) -> None:
    for number in range(5):
        write(table, f"f{number}.json", number * 10, 10)
    splits = splits_of(table, parallelism=3)
    assert described(splits.splits()) == [[(f"f{number}.json", None) for number in range(5)]]
    assert rows(splits) == list(range(50))


def test_files_are_put_together_up_to_the_size_of_a_split(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = write(table, "f0.json", 10, 10)
    for number in range(1, 5):
        write(table, f"f{number}.json", 10, 10)
    monkeypatch.setattr(module, "_LEAST_BYTES", 2 * size)
    assert [len(split) for split in described(splits_of(table, parallelism=100).splits())] == [2, 2, 1]


def test_a_large_file_is_divided_and_each_row_read_once(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(table, "a.json", 0, 10)
    size = write(table, "b.json", 10, 1000)
    write(table, "c.json", 1010, 10)
    monkeypatch.setattr(module, "_LEAST_BYTES", size // 7)
    splits = splits_of(table, parallelism=100)
    found = described(splits.splits())
    assert [name for split in found for name, _ in split] == ["a.json", *["b.json"] * 8, "c.json"]
    ranges = [bounds for split in found for name, bounds in split if name == "b.json" and bounds is not None]
    assert ranges[0][0] == 0
    assert ranges[-1][1] == size
    assert all(before[1] == after[0] for before, after in pairwise(ranges))
    assert rows(splits) == list(range(1020))


def test_a_file_that_cannot_be_divided_is_a_split_of_its_own(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (table / "a.json.gz").write_bytes(gzip.compress(b'{"a":1}\n' * 1000, compresslevel=0))
    write(table, "b.json", 2, 1)
    monkeypatch.setattr(module, "_LEAST_BYTES", 100)
    splits = splits_of(table, parallelism=100)
    assert described(splits.splits()) == [[("a.json.gz", None)], [("b.json", None)]]
    assert rows(splits) == [1] * 1000 + [2]


def test_splits_are_not_larger_than_a_bound_however_few_tasks_there_are(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = write(table, "a.json", 10, 80)
    monkeypatch.setattr(module, "_LEAST_BYTES", 1)
    monkeypatch.setattr(module, "_MOST_BYTES", size // 4)
    assert len(splits_of(table, parallelism=1).splits()) == 4


def test_a_table_without_files_has_no_splits_and_empty_files_have_no_rows(table: Path) -> None:
    assert splits_of(table).splits() == []
    (table / "empty.json").touch()
    assert rows(splits_of(table)) == []


def test_a_split_is_not_read_on_when_it_has_as_many_rows_as_the_limit(table: Path) -> None:
    for number in range(3):
        write(table, f"f{number}.json", number * 10, 10)
    splits = splits_of(table, limit=15)
    (split,) = splits.splits()
    assert [batch.num_rows for batch in splits.read(split)] == [10, 10]


def test_files_of_pinned_splits_stay_as_long_as_the_snapshots_are_open(table: Path) -> None:
    write(table, "old.json", 1, 1)
    snapshots = Snapshots()
    splits = splits_of(table)
    pinned = splits.pinned_splits(snapshots)
    change = begin_change(str(table), "job")
    change.path_of("new.json").write_text('{"a":2}\n')
    change.commit(lambda names: names)
    assert [row["a"] for split in pinned for batch in splits.read(split) for row in batch.to_pylist()] == [1]
    assert rows(splits) == [2]
    snapshots.close()
    assert [path.name for path in table.iterdir()] == ["new.json"]


def test_filters_do_not_travel(table: Path) -> None:
    condition = ValueLiteralExpression(True, parse_logical_type("BOOLEAN NOT NULL"))
    splits = splits_of(table, filters=(condition,))
    assert splits.without_filters().provider.filters == ()
    assert splits.provider.filters == (condition,)


def test_ignored_rows_are_reported_once_for_a_split(table: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a.json", "b.json"):
        (table / name).write_text('?\n{"a":1}\n')
    splits = splits_of(table, format_options={"ignore-parse-errors": "true"})
    assert rows(splits) == [1, 1]
    assert [record.getMessage().startswith("Table c.d.t: 2 rows dropped; the first: ") for record in caplog.records] == [True]


def test_a_path_that_is_not_there_is_an_error_that_names_the_table(tmp_path: Path) -> None:
    with pytest.raises(TableRuntimeException, match=r"^Table c\.d\.t: "):
        splits_of(tmp_path / "nosuch").splits()


def test_a_split_is_its_files(table: Path) -> None:
    write(table, "a.json", 1, 1)
    (split,) = splits_of(table).splits()
    assert isinstance(split, FileSplit)
    assert [file.path for file in split.files] == [table / "a.json"]


def test_parquet_files_are_divided_where_row_groups_begin(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LEAST_BYTES", 1)
    parquet.write_table(pa.table({"a": pa.array(range(100), pa.int32())}), table / "f.parquet", row_group_size=10)
    parquet.write_table(pa.table({"a": pa.array(range(100, 110), pa.int32())}), table / "g.parquet")
    for parallelism in (1, 2, 7, 50):
        splits = splits_of(table, parallelism, format_="parquet")
        parts = [[row["a"] for batch in splits.read(split) for row in batch.to_pylist()] for split in splits.splits()]
        assert all(parts)
        assert [row for part in parts for row in part] == list(range(110))
        assert parallelism == 1 or len(parts) > 1
    filtered = splits_of(table, 7, format_="parquet")
    assert rows(filtered) == list(range(110))
