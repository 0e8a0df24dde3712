from __future__ import annotations

import pyarrow as pa

from table_common.types import BigIntType, BooleanType, DoubleType, RowType, VarCharType
from table_runtime.export import csv_texts


def _text(data_type: object, values: pa.Array) -> str:
    batch = pa.record_batch({"a": values})
    return "".join(csv_texts([batch], RowType.of([("a", data_type)]), lambda value, _: None if value is None else str(value)))  # type: ignore[list-item]


def test_texts_are_quoted_only_where_needed() -> None:
    assert _text(VarCharType(9), pa.array(["x", "", None, 'a"b', "a,b", "a\nb", "ä"])) == 'x\n""\n\n"a""b"\n"a,b"\n"a\nb"\nä\n'


def test_numbers_are_written_as_java_does() -> None:
    assert _text(DoubleType(), pa.array([5.0, 1e10, 1e-5, None, float("nan")])) == "5.0\n1.0E10\n1.0E-5\n\nNaN\n"
    assert _text(BooleanType(), pa.array([True, False, None])) == "TRUE\nFALSE\n\n"


def test_a_slice_of_a_batch_is_written_alone() -> None:
    batch = pa.record_batch({"a": pa.array(range(200_000)), "b": pa.array(["x"] * 200_000)})
    lines = "".join(
        csv_texts([batch.slice(1, 150_000)], RowType.of([("a", BigIntType()), ("b", VarCharType(1))]), lambda value, _: str(value))
    ).splitlines()
    assert lines[0] == "1,x"
    assert lines[-1] == "150000,x"
    assert len(lines) == 150_000
