from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.arrow import compute as pc


def test_a_function_is_looked_up_once() -> None:
    assert pc.add is pc.add
    assert pc.add(pa.array([1]), 2).to_pylist() == [3]


def test_a_cast_is_safe_by_default() -> None:
    numbers = pa.array([1.5])
    with pytest.raises(pa.ArrowInvalid):
        pc.cast(numbers, pa.int32())
    assert pc.cast(numbers, pa.int32(), safe=False).to_pylist() == [1]


def test_take_returns_null_for_a_null_position() -> None:
    assert pc.take(pa.array(["a", "b"]), pa.array([1, None])).to_pylist() == ["b", None]


def test_fill_null_replaces_nulls_only() -> None:
    assert pc.fill_null(pa.array([1, None]), 0).to_pylist() == [1, 0]


def test_expressions_refer_to_columns_and_constants() -> None:
    assert str(pc.field("a") == pc.scalar(1)) == "(a == 1)"


def test_an_unknown_function_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Arrow has no function 'no_such_function'"):
        _ = pc.no_such_function


@pytest.mark.parametrize("value", [True, 2, -(2**63), 0.5, "b"])
def test_python_values_have_the_type_that_arrow_infers(value: object) -> None:
    assert pc.equal(pa.array([value]), value).to_pylist() == [True]
    assert pc.if_else(pa.scalar(True), value, value).type == pa.scalar(value).type


def test_a_number_without_an_arrow_type_is_refused() -> None:
    with pytest.raises(TypeError, match="int"):
        pc.add(pa.array([1]), 2**64)
