"""numpy's values are recognized by name and numpy is never imported: the classes here stand for it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from table_common.data import DataStructureConverter, GenericArrayData, IntervalData, RuntimeConverter, TimestampData
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import DataType, parse_logical_type


def converter(type_text: str, class_: type[Any] | None = None) -> DataStructureConverter:
    data_type = DataType(parse_logical_type(type_text))
    result = DataStructureConverter(data_type if class_ is None else data_type.bridged_to(class_))
    result.open(RuntimeConverter.Context.empty())
    return result


class FakeTime:
    """A ``datetime64`` or ``timedelta64``: a count of a unit."""

    def __init__(self, count: int, unit: str) -> None:
        self.count = count
        self.dtype = f"{type(self).__name__}[{unit}]"

    def astype(self, name: str) -> int:
        assert name == "int64"
        return self.count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FakeTime) and (self.count, self.dtype) == (other.count, other.dtype)

    __hash__ = None  # type: ignore[assignment]


Datetime64 = type("datetime64", (FakeTime,), {"__module__": "numpy"})
Timedelta64 = type("timedelta64", (FakeTime,), {"__module__": "numpy"})


@pytest.mark.parametrize(
    ("type_text", "count", "unit", "internal"),
    [
        ("TIMESTAMP(9)", 1, "ns", TimestampData.from_epoch_millis(0, 1)),
        ("TIMESTAMP(9)", -1, "25s", TimestampData.from_epoch_millis(-25_000)),
        ("TIMESTAMP(9)", 1, "W", TimestampData.from_epoch_millis(604_800_000)),
        ("TIMESTAMP(9)", -1, "fs", TimestampData.from_epoch_millis(-1, 999_999)),
        ("TIMESTAMP(3)", 1, "M", TimestampData.from_epoch_millis(31 * 86_400_000)),
        ("TIMESTAMP(3)", 30, "Y", TimestampData.from_epoch_millis(10_957 * 86_400_000)),
        ("TIMESTAMP(3)", -1970, "Y", TimestampData.from_epoch_millis(-719_528 * 86_400_000)),
        ("TIMESTAMP_LTZ(6)", 1999, "ns", TimestampData.from_epoch_millis(0, 1000)),
        ("DATE", -1, "D", -1),
        ("DATE", 24, "h", 1),
    ],
)
def test_datetime64_is_taken(type_text: str, count: int, unit: str, internal: object) -> None:
    assert converter(type_text).to_internal(Datetime64(count, unit)) == internal


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("TIMESTAMP(3)", Datetime64(-(2**63), "ns"), "NaT"),
        ("DATE", Datetime64(1, "h"), "it has a time of day"),
        ("INTERVAL SECOND", Timedelta64(1, "M"), "no fixed length"),
        ("INTERVAL SECOND", Datetime64(1, "s"), "it takes timedelta"),
    ],
)
def test_numpy_times_that_do_not_fit_are_refused(type_text: str, value: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        converter(type_text).to_internal(value)


@pytest.mark.parametrize(
    ("type_text", "internal", "count", "unit"),
    [
        ("TIMESTAMP(3)", TimestampData.from_epoch_millis(-1), -1, "ms"),
        ("TIMESTAMP(6)", TimestampData.from_epoch_millis(-1, 1000), -999, "us"),
        ("TIMESTAMP_LTZ(9)", TimestampData.from_epoch_millis(0, 1), 1, "ns"),
        ("DATE", -1, -1, "D"),
    ],
)
def test_datetime64_is_given_where_asked_for(type_text: str, internal: object, count: int, unit: str) -> None:
    assert converter(type_text, Datetime64).to_external(internal) == Datetime64(count, unit)


def test_datetime64_refuses_what_does_not_fit_into_its_64_bits() -> None:
    with pytest.raises(TableRuntimeException, match=r"outside the range of numpy\.datetime64"):
        converter("TIMESTAMP(9)", Datetime64).to_external(TimestampData.from_epoch_millis(2**53))


@pytest.mark.parametrize(
    ("type_text", "internal", "count", "unit"),
    [("INTERVAL SECOND(3)", -5, -5, "ms"), ("INTERVAL SECOND(6)", IntervalData.from_nanos(5000), 5, "us")],
)
def test_timedelta64_is_taken_and_given(type_text: str, internal: object, count: int, unit: str) -> None:
    convert = converter(type_text, Timedelta64)
    assert convert.to_internal(Timedelta64(count, unit)) == internal
    assert convert.to_external(internal) == Timedelta64(count, unit)


class FakeArray:
    def __init__(self, length: int, dtype: str) -> None:
        self.values: list[Any] = [None] * length
        self.dtype_name = dtype

    def __setitem__(self, index: Any, value: Any) -> None:
        self.values[index] = value


@pytest.mark.parametrize(
    ("type_text", "internal", "dtype", "values"),
    [
        ("ARRAY<INT NOT NULL>", GenericArrayData([1, 2]), "int32", [1, 2]),
        ("ARRAY<INT>", GenericArrayData([1, None]), "object", [1, None]),
        ("ARRAY<ARRAY<INT>>", GenericArrayData([GenericArrayData([1])]), "object", [[1]]),
    ],
)
def test_an_ndarray_is_given_where_asked_for(
    type_text: str, internal: object, dtype: str, values: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    numpy: Any = ModuleType("numpy")
    numpy.empty = FakeArray
    monkeypatch.setitem(sys.modules, "numpy", numpy)
    result = converter(type_text, type("ndarray", (), {"__module__": "numpy"})).to_external(internal)
    assert (result.dtype_name, result.values) == (dtype, values)
