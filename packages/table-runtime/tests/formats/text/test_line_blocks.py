"""Lines from the texts of columns: each row has its own texts, whatever is shared between rows and however many rows a block has."""

from __future__ import annotations

import os
import random
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv import writer as csv_writer
from table_runtime.formats.csv.writer import CsvWriter
from table_runtime.formats.text import line_blocks
from table_runtime.formats.text.repeated_values import ColumnTexts

SEED = int(os.environ.get("CSV_SEED", "20"))


def texts(chosen: random.Random, rows: int) -> tuple[ColumnTexts, list[str]]:
    """Returns texts of a column in one of their forms, and the text of each row."""
    values = ["".join(chosen.choice(["a", "é", "", "🙂"]) for _ in range(chosen.randrange(4))) for _ in range(5)]
    positions = [chosen.randrange(5) for _ in range(rows)]
    every = [values[position] for position in positions]
    if chosen.random() < 0.5:
        return ColumnTexts(pa.array(["x", *every], pa.string()).slice(1)), every
    type_ = chosen.choice([pa.int32(), pa.int64()])
    return ColumnTexts(pa.array(["x", *values]).slice(1), pa.array([0, *positions], type_).slice(1)), every


@pytest.mark.parametrize("block_rows", [1, 7, 64, 1000])
def test_each_line_has_the_texts_of_its_row(block_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_blocks, "_ROWS", block_rows)
    chosen = random.Random(SEED)
    for _ in range(40):
        rows = chosen.choice([1, 2, 63, 64, 65])
        columns = [texts(chosen, rows) for _ in range(chosen.randrange(1, 6))]
        delimiter = chosen.choice([",", "§"])
        blocks = [block.to_pybytes().decode() for block in line_blocks.line_blocks([column for column, _ in columns], rows, delimiter)]
        assert len(blocks) == -(-rows // block_rows), f"seed {SEED}"
        lines = [delimiter.join(parts) for parts in zip(*(every for _, every in columns), strict=True)]
        assert "".join(blocks) == "".join(f"\n{line}" for line in lines), f"seed {SEED}"


def csv_file(path: Path, types: list[str], batch: pa.RecordBatch, **options: str) -> bytes:
    row_type = RowType.of([(f"c{i}", parse_logical_type(type_)) for i, type_ in enumerate(types)], nullable=False)
    writer = CsvWriter(path, row_type, ReadableConfig(options))
    for start, rows in ((0, 2000), (2000, 5), (2005, 4000)):
        writer.write(pa.RecordBatch.from_arrays(batch.columns, schema=to_arrow_schema(row_type)).slice(start, rows))
    writer.close()
    return path.read_bytes()


def test_a_file_of_csv_is_the_same_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = random.Random(SEED)
    values = {
        "INT": lambda: chosen.randrange(-50, 50),
        "BIGINT": lambda: chosen.randrange(10**12),
        "TIMESTAMP(3)": lambda: datetime(2020, 1, 1) + timedelta(milliseconds=chosen.randrange(300)),
        "STRING": lambda: chosen.choice(["", "a,b", 'c"', "é", "line\nbreak", " blank", "plain"]),
        "DECIMAL(10, 2)": lambda: Decimal(chosen.randrange(1000)) / 100,
    }
    for number in range(12):
        types = [chosen.choice(list(values)) for _ in range(chosen.randrange(1, 6))]
        nulls = chosen.choice([0.0, 0.2])
        schema = to_arrow_schema(RowType.of([(f"c{i}", parse_logical_type(type_)) for i, type_ in enumerate(types)], nullable=False))
        columns = [
            pa.array([None if chosen.random() < nulls else values[type_]() for _ in range(6005)], field.type)
            for type_, field in zip(types, schema, strict=True)
        ]
        batch = pa.RecordBatch.from_arrays(columns, schema=schema)
        options = chosen.choice([{}, {"null-literal": "n"}, {"field-delimiter": ";"}])
        data = csv_file(tmp_path / f"{number}.csv", types, batch, **options)
        with monkeypatch.context() as patch:
            patch.setattr(csv_writer, "FEWEST_ROWS", batch.num_rows + 1)
            assert csv_file(tmp_path / f"{number}-joined.csv", types, batch, **options) == data, f"seed {SEED}, {types}, {options}"
