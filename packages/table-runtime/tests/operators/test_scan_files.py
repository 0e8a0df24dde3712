"""A scan reports how far it is, within a file too."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_common.arrow import to_arrow_schema
from table_common.connector import FileScanProvider
from table_common.types import BigIntType, RowType
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.scan_files import ScanFiles

ROW = RowType.of([("n", BigIntType())])
ROWS = 20_000


def _shares(folder: Path, format_: str, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    monkeypatch.setattr("table_runtime.formats.csv_blocks.BLOCK_BYTES", 10_000)
    monkeypatch.setattr("table_runtime.formats.lines.BLOCK_BYTES", 10_000)
    monkeypatch.setattr("table_runtime.formats.parquet.BATCH_ROWS", 2_000)
    reports: list[tuple[str, float | None]] = []
    provider = FileScanProvider(paths=(str(folder),), format=format_, physical_type=ROW, produced_type=ROW)
    with closing(ExecutionContext(progress=lambda text, share: reports.append((text, share)))) as context:
        rows = sum(batch.num_rows for batch in ScanFiles(provider, to_arrow_schema(ROW), "t").batches(context))
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
            pq.write_table(pa.table({"n": pa.array(numbers, pa.int64())}), tmp_path / "a")
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
