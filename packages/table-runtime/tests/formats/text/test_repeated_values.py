"""Texts of columns whose values repeat: those that each row alone has."""

from __future__ import annotations

import os
import random
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema, to_arrow_type
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv.writer import CsvEncoder
from table_runtime.formats.text.repeated_values import repeated_values

SEED = int(os.environ.get("CSV_SEED", "20"))
ROWS = 3000
RANGES = {
    "TINYINT": (-128, 127, 1),
    "SMALLINT": (-(2**15), 2**15 - 1, 1),
    "INT": (-(2**31), 2**31 - 1, 1),
    "BIGINT": (-(2**63), 2**63 - 1, 1),
    "DATE": (date(1, 1, 1).toordinal() - date(1970, 1, 1).toordinal(), date.max.toordinal() - date(1970, 1, 1).toordinal(), 1),
    "TIMESTAMP(0)": (-62_135_596_800_000_000, 253_402_300_799_999_999, 1_000_000),
    "TIMESTAMP(3)": (-62_135_596_800_000_000, 253_402_300_799_999_999, 1000),
    "TIMESTAMP(6)": (-62_135_596_800_000_000, 253_402_300_799_999_999, 1),
    "TIMESTAMP(9)": (-(2**63) + 1, 2**63 - 1, 1),
    "TIMESTAMP_LTZ(3)": (-62_135_596_800_000_000, 253_402_300_799_999_999, 1000),
}
"""The least and the greatest value of each type in ticks, and the ticks of its last digit."""


def column(ticks: list[int | None], type_: str) -> pa.Array:
    arrow_type = to_arrow_type(parse_logical_type(type_))
    storage = pa.int32() if pa.types.is_date(arrow_type) else pa.int64() if pa.types.is_timestamp(arrow_type) else arrow_type
    return pa.array(ticks, storage).view(arrow_type)


def lines(columns: list[pa.Array], types: list[str], rows: int, **options: str) -> list[str]:
    row_type = RowType.of([(f"c{i}", parse_logical_type(type_)) for i, type_ in enumerate(types)], nullable=False)
    batch = pa.RecordBatch.from_arrays(columns, schema=to_arrow_schema(row_type))
    encoder = CsvEncoder(row_type, ReadableConfig(options))
    return [line for start in range(0, batch.num_rows, rows) for line in encoder.lines(batch.slice(start, rows)).to_pylist()]


@pytest.mark.parametrize("type_", RANGES)
def test_a_batch_has_the_lines_of_its_rows(type_: str) -> None:
    chosen = random.Random(SEED)
    low, high, step = RANGES[type_]
    seen = 0
    for spread in (1, 20, 700, 10_000):
        for first in (low, high - min(spread, (high - low) // step) * step, (low + high) // 2 // step * step, 0):
            nulls = chosen.choice([0.0, 0.3])
            ticks = [None if chosen.random() < nulls else min(max(first + chosen.randrange(spread) * step, low), high) for _ in range(ROWS)]
            options = chosen.choice([{}, {"null-literal": "n"}, {"quote-character": "0"}, {"field-delimiter": "-"}])
            values = column(ticks, type_)
            seen += repeated_values(values, parse_logical_type(type_)) is not None
            assert lines([values], [type_], ROWS, **options) == lines([values], [type_], 500, **options), f"seed {SEED}"
    assert seen >= 8


def test_ticks_that_the_precision_does_not_have_are_other_values() -> None:
    ticks: list[int | None] = [number % 2 for number in range(ROWS)]
    assert lines([column(ticks, "TIMESTAMP(3)")], ["TIMESTAMP(3)"], ROWS)[:2] == ['"1970-01-01 00:00:00"', '"1970-01-01 00:00:00.000001"']


def test_a_number_that_no_row_has_may_be_the_literal_of_null() -> None:
    numbers = column([1, 3, None] * 1000, "INT")
    assert lines([numbers], ["INT"], 3000, **{"null-literal": "2"})[:3] == ["1", "3", "2"]
    with pytest.raises(TableRuntimeException, match="cannot write '3'"):
        lines([numbers], ["INT"], 3000, **{"null-literal": "3"})


@pytest.mark.parametrize("value", [None, 5])
def test_one_value_repeats_unless_it_is_null(value: Any) -> None:
    repeated = repeated_values(column([value] * 2000, "BIGINT"), parse_logical_type("BIGINT"))
    assert (repeated is None) == (value is None)
