from __future__ import annotations

import json

import pyarrow as pa

from table_common.types import DoubleType, LogicalType, RowType, VarCharType
from table_runtime.export import json_texts


def _values(data_type: LogicalType, values: pa.Array) -> list[object]:
    batch = pa.record_batch({"a": values})
    text = "".join(json_texts([batch], RowType.of([("a", data_type)]), lambda value, _: str(value), lambda value, _: value))
    return [json.loads(line)["a"] for line in text.splitlines()]


def test_texts_are_escaped() -> None:
    texts = ["x", "", None, 'a"b', "a\\b", "a\nb\x01", "äé"]
    assert _values(VarCharType(9), pa.array(texts)) == texts


def test_numbers_keep_their_value() -> None:
    numbers = [5.0, 1e10, 1e-5, None, 0.1, 1e300, -0.0]
    assert _values(DoubleType(), pa.array(numbers)) == numbers
