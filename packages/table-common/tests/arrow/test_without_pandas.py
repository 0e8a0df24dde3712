"""Scalars and arrays that are made without pandas are those that Arrow makes."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from table_common.arrow import arrow_array, arrow_scalar, without_pandas

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TYPES = [
    *INTEGERS,
    pa.float64(),
    pa.float32(),
    pa.bool_(),
    pa.string(),
    pa.binary(),
    pa.date32(),
    pa.decimal128(5, 2),
    pa.decimal256(50, 3),
    pa.timestamp("us"),
    pa.list_(pa.int64()),
    pa.null(),
    None,
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-300, 300),
    st.integers(-(2**64), 2**64),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.dates(),
    st.decimals(allow_nan=False, allow_infinity=False, places=2),
    st.decimals(allow_nan=True),
)


@pytest.fixture(autouse=True)
def _pandas_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(without_pandas, "_would_import_pandas", lambda: True)


def outcome(make: Any, *arguments: Any) -> Any:
    """Returns what a function makes, in a form that has NaN equal to itself; or the class of its error."""
    try:
        made = make(*arguments)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    values = made if isinstance(made, pa.Array) else pa.repeat(made, 1)
    return type(made), made.type, values.null_count, values.to_string()  # Arrow's text: Python has no dates before the year 1


@given(VALUES, st.sampled_from(TYPES))
@example(-719163, pa.date32())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_scalar_is_that_of_arrow(value: Any, arrow_type: pa.DataType | None) -> None:
    assert outcome(arrow_scalar, value, arrow_type) == outcome(pa.scalar, value, arrow_type)


@given(
    st.lists(VALUES, max_size=4) | st.sampled_from([1, 1.5, "ä", b"x", True, Decimal("1.2")]).map(lambda one: [one, None, one]),
    st.sampled_from(TYPES),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_array_is_that_of_arrow(values: list[Any], arrow_type: pa.DataType | None) -> None:
    assert outcome(arrow_array, values, arrow_type) == outcome(pa.array, values, arrow_type)


def test_the_usual_types_are_made_without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("pandas would be imported")

    monkeypatch.setattr(pa, "scalar", refuse)
    monkeypatch.setattr(pa, "array", refuse)
    assert arrow_array([1, None, 3], pa.int64()).to_pylist() == [1, None, 3]
    assert arrow_array(["a", None, "ü"], pa.string()).to_pylist() == ["a", None, "ü"]
    assert arrow_array([Decimal("-1.2"), Decimal(3)], pa.decimal128(5, 2)).to_pylist() == [Decimal("-1.20"), Decimal("3.00")]
    assert arrow_array([None, datetime.date(1969, 12, 31)], pa.date32()).to_pylist() == [None, datetime.date(1969, 12, 31)]
    assert arrow_scalar(None, pa.timestamp("ns")).type == pa.timestamp("ns")
    assert arrow_scalar(True).as_py() is True
