"""Constants as columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_runtime.kernels.kernel import to_array


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.parametrize("constant", [pa.scalar([1, 2]), pa.scalar([("a", 1)], pa.map_(pa.string(), pa.int32())), pa.scalar({"x": 1})])
def test_a_constant_becomes_a_column_of_as_many_rows(constant: pa.Scalar, rows: int) -> None:
    column = to_array(constant, rows)
    assert column.type == constant.type
    assert column.to_pylist() == [constant.as_py()] * rows
