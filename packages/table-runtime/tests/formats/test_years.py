"""Dates and timestamps of other years than 1 to 9999."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_runtime.formats.years import has_years, row_of_other_years

LAST_DAY = 2_932_896


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (pa.date32(), [0, None, LAST_DAY, LAST_DAY + 1]),
        (pa.date32(), [-719_162, 0, 1, -719_163]),
        (pa.timestamp("us"), [0, None, (LAST_DAY + 1) * 86_400_000_000 - 1, (LAST_DAY + 1) * 86_400_000_000]),
        (pa.timestamp("ms", "UTC"), [0, 1, 2, 2**62]),
        (pa.list_(pa.date32()), [[], None, [0, 1], [0, LAST_DAY + 1]]),
        (pa.struct([("a", pa.date32())]), [{"a": 1}, None, {"a": None}, {"a": LAST_DAY + 1}]),
        (pa.map_(pa.string(), pa.date32()), [[], None, [("a", 0)], [("a", LAST_DAY + 1)]]),
    ],
)
def test_the_first_row_with_such_a_value(type_: pa.DataType, values: list[Any]) -> None:
    others = pa.array([0] * len(values), pa.int64())
    assert has_years(type_)
    assert row_of_other_years([others, pa.array(values, type_)]) == (1, 3)
    assert row_of_other_years([others, pa.array(values[:3], type_)]) is None


def test_other_types_have_no_years() -> None:
    assert not has_years(pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]))
    assert row_of_other_years([pa.array([2**62]), pa.array([2**62], pa.timestamp("ns")), pa.array([], pa.date32())]) is None
