"""What a scan reads, what it leaves out for runtime filters, and how far it reports to be."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from table_common.arrow import to_arrow_schema
from table_common.connector import FileScanProvider
from table_common.types import BigIntType, RowType
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.key_filter import KeyFilter
from table_runtime.scans.runtime_filters import AppliedFilter, FilterSlot
from table_runtime.scans.scan_files import ScanFiles

ROW = RowType.of([("k", BigIntType()), ("v", BigIntType())], nullable=False)
NUMBERS = RowType.of([("n", BigIntType())])
ROWS = 20_000


def scan(path: Path, format_: str = "parquet", *, limit: int | None = None) -> ScanFiles:
    provider = FileScanProvider((str(path),), format_, ROW, ROW, limit=limit)
    return ScanFiles(provider, to_arrow_schema(ROW), "t")


def keys_of(operator: ScanFiles, context: ExecutionContext) -> list[int]:
    return [key for batch in operator.batches(context) for key in batch.column(0).to_pylist()]


def filtered(operator: ScanFiles, context: ExecutionContext, keys: Sequence[int]) -> KeyFilter:
    slot = FilterSlot(1, "k")
    operator.keys.append(AppliedFilter(slot, 0))
    made = KeyFilter(pa.array(keys, pa.int64()))
    slot.put(context, made)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_table(pa.table({"k": range(100), "v": range(100)}), tmp_path / "1.parquet", row_group_size=10)
    return tmp_path


def test_rows_without_a_key_are_left_out_and_row_groups_are_not_read(path: Path) -> None:
    operator, context = scan(path), ExecutionContext()
    keys = filtered(operator, context, [33, 35, 71])
    assert keys_of(operator, context) == [33, 35, 71]
    assert (keys.groups, keys.groups_skipped, keys.rows_in) == (10, 8, 20)


def test_rows_of_other_formats_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("".join(f"{i},{i}\n" for i in range(50)))
    operator, context = scan(tmp_path, "csv"), ExecutionContext()
    filtered(operator, context, [4, 40])
    assert keys_of(operator, context) == [4, 40]


def test_no_row_passes_a_filter_without_keys(path: Path) -> None:
    operator, context = scan(path), ExecutionContext()
    filtered(operator, context, [])
    assert keys_of(operator, context) == []


def test_a_join_that_has_given_no_keys_filters_nothing(path: Path) -> None:
    operator = scan(path)
    operator.keys.append(AppliedFilter(FilterSlot(3, "k"), 0))
    assert keys_of(operator, ExecutionContext()) == list(range(100))
    assert "runtimeFilters=[k in #3]" in operator.details()


def test_a_limit_ends_the_scan(path: Path) -> None:
    assert len(keys_of(scan(path, limit=5), ExecutionContext())) < 200
    assert "limit=[5]" in scan(path, limit=5).details()


def _shares(folder: Path, format_: str, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    monkeypatch.setattr("table_runtime.formats.csv.blocks.BLOCK_BYTES", 10_000)
    monkeypatch.setattr("table_runtime.formats.lines.BLOCK_BYTES", 10_000)
    monkeypatch.setattr("table_runtime.formats.parquet.files.BATCH_ROWS", 2_000)
    monkeypatch.setattr("table_runtime.formats.parquet.small_files.MOST_BYTES", -1)
    reports: list[tuple[str, float | None]] = []
    provider = FileScanProvider(paths=(str(folder),), format=format_, physical_type=NUMBERS, produced_type=NUMBERS)
    with closing(ExecutionContext(progress=lambda text, share: reports.append((text, share)))) as context:
        rows = sum(batch.num_rows for batch in ScanFiles(provider, to_arrow_schema(NUMBERS), "t").batches(context))
    assert rows == ROWS * len(list(folder.iterdir()))
    assert all(text.startswith("reading ") for text, _ in reports)
    return [share for _, share in reports if share is not None]


@pytest.mark.parametrize("format_", ["csv", "json", "parquet"])
def test_the_share_grows_within_a_file(tmp_path: Path, format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = range(ROWS)
    match format_:
        case "csv":
            (tmp_path / "a").write_text("".join(f"{n}\n" for n in numbers))
        case "json":
            (tmp_path / "a").write_text("".join(f'{{"n": {n}}}\n' for n in numbers))
        case _:
            write_table(pa.table({"n": pa.array(numbers, pa.int64())}), tmp_path / "a")
    shares = _shares(tmp_path, format_, monkeypatch)
    assert shares == sorted(shares)
    assert len([share for share in shares if 0.05 < share < 0.95]) >= 5
    assert shares[-1] == pytest.approx(1)


def test_files_count_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("".join(f"{n}\n" for n in range(ROWS)))
    (tmp_path / "b").write_text("".join(f"{n:020}\n" for n in range(ROWS)))
    shares = _shares(tmp_path, "csv", monkeypatch)
    first = (tmp_path / "a").stat().st_size / ((tmp_path / "a").stat().st_size + (tmp_path / "b").stat().st_size)
    assert any(share == pytest.approx(first) for share in shares)
    assert first < 0.3


def test_a_compressed_file_counts_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress("".join(f"{n}\n" for n in range(ROWS)).encode()))
    assert _shares(tmp_path, "csv", monkeypatch) == [0]


def test_files_of_unknown_size_count_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_runtime.files.reading.TableFile.size", lambda self: 0)
    for name in ("a", "b", "c", "d"):
        (tmp_path / name).write_text("".join(f"{n}\n" for n in range(ROWS)))
    assert _shares(tmp_path, "csv", monkeypatch) == [0, 0.25, 0.5, 0.75]
