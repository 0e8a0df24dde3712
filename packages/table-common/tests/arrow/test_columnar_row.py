from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import (
    ROW_KIND_COLUMN,
    ColumnarArrayData,
    ColumnarMapData,
    ColumnarRowData,
    columnar_rows,
    from_row_data,
    to_arrow_schema,
)
from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    RawValueData,
    RowData,
    RowKind,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import LogicalType, RowType, parse_logical_type


def row_of(*types: str) -> RowType:
    return RowType.of([(f"c{i}", parse_logical_type(text)) for i, text in enumerate(types)], nullable=False)


def view(type_text: str, *values: Any) -> ColumnarRowData:
    """Returns a view of the second row of a batch: the first is NULL, so that positions count."""
    row_type = row_of(type_text)
    batch = from_row_data([GenericRowData.of(value) for value in (None, *values, None)], row_type)
    return ColumnarRowData(batch, row_type, 1)


def text(value: str) -> StringData:
    return StringData.from_string(value)


GETTERS: list[tuple[str, Callable[[RowData], Any], Any]] = [
    ("BOOLEAN", lambda r: r.get_boolean(0), True),
    ("TINYINT", lambda r: r.get_byte(0), -128),
    ("SMALLINT", lambda r: r.get_short(0), -300),
    ("INT", lambda r: r.get_int(0), 2**31 - 1),
    ("DATE", lambda r: r.get_int(0), -1),
    ("TIME(3)", lambda r: r.get_int(0), 5),
    ("INTERVAL MONTH", lambda r: r.get_int(0), -13),
    ("BIGINT", lambda r: r.get_long(0), -(2**63)),
    ("INTERVAL SECOND(3)", lambda r: r.get_long(0), -5),
    ("FLOAT", lambda r: r.get_float(0), 1.5),
    ("DOUBLE", lambda r: r.get_double(0), 0.1),
    ("STRING", lambda r: r.get_string(0), text("größe")),
    ("DECIMAL(5, 2)", lambda r: r.get_decimal(0, 5, 2), DecimalData.from_unscaled_long(5, 2, -150)),
    ("DECIMAL(38, 2)", lambda r: r.get_decimal(0, 38, 2), DecimalData.from_unscaled_bytes(38, 2, b"\x7f" * 15)),
    ("TIMESTAMP(3)", lambda r: r.get_timestamp(0, 3), TimestampData.from_epoch_millis(-1)),
    ("TIMESTAMP(9)", lambda r: r.get_timestamp(0, 9), TimestampData.from_epoch_millis(-1, 1)),
    ("TIMESTAMP_LTZ(6)", lambda r: r.get_timestamp(0, 6), TimestampData.from_epoch_millis(-1, 1000)),
    ("TIME(9)", lambda r: r.get_time(0, 9), TimeData.from_nanos(1)),
    ("INTERVAL SECOND(9)", lambda r: r.get_interval(0, 9), IntervalData.from_nanos(-1)),
    ("RAW('c', 's')", lambda r: r.get_raw_value(0), RawValueData.from_bytes(b"x")),
    ("BYTES", lambda r: r.get_binary(0), b"\0\xff"),
    ("ARRAY<STRING>", lambda r: r.get_array(0), GenericArrayData([text("a"), None])),
    ("MAP<STRING, INT>", lambda r: r.get_map(0), GenericMapData({text("a"): 1, text("b"): None})),
    ("MULTISET<STRING>", lambda r: r.get_map(0), GenericMapData({text("a"): 2})),
    ("ROW<a INT, b STRING>", lambda r: r.get_row(0, 2), GenericRowData.of(1, text("x"))),
]


@pytest.mark.parametrize(("type_text", "get", "value"), GETTERS)
def test_a_getter_reads_the_cell(type_text: str, get: Callable[[RowData], Any], value: object) -> None:
    assert get(view(type_text, value)) == value


@pytest.mark.parametrize("type_text", [type_text for type_text, _, _ in GETTERS])
def test_a_cell_may_be_null(type_text: str) -> None:
    assert view(type_text, None).is_null_at(0)


@pytest.mark.parametrize(("type_text", "get"), [(type_text, get) for type_text, get, _ in GETTERS])
def test_a_getter_has_no_answer_for_null(type_text: str, get: Callable[[RowData], Any]) -> None:
    with pytest.raises(TableRuntimeException, match="position 0 is NULL"):
        get(view(type_text, None))


@pytest.mark.parametrize(
    ("type_text", "value", "get"),
    [
        ("STRING", text("a"), lambda r: r.get_int(0)),
        ("INT", 1, lambda r: r.get_string(0)),
        ("INT", 1, lambda r: r.get_boolean(0)),
        ("INT", 1, lambda r: r.get_double(0)),
        ("BOOLEAN", True, lambda r: r.get_int(0)),
        ("INT", 1, lambda r: r.get_decimal(0, 5, 2)),
        ("INT", 1, lambda r: r.get_timestamp(0, 3)),
        ("INT", 1, lambda r: r.get_time(0, 3)),
        ("INT", 1, lambda r: r.get_interval(0, 3)),
        ("INT", 1, lambda r: r.get_array(0)),
        ("INT", 1, lambda r: r.get_map(0)),
        ("INT", 1, lambda r: r.get_row(0, 1)),
    ],
)
def test_a_getter_of_another_type_is_an_error(type_text: str, value: object, get: Callable[[RowData], Any]) -> None:
    with pytest.raises(TableRuntimeException, match=f"The value is of type {type_text}, not"):
        get(view(type_text, value))


def test_get_row_with_another_number_of_fields_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="has 1 fields, not 2"):
        view("ROW<a INT>", GenericRowData.of(1)).get_row(0, 2)


def test_times_and_intervals_of_milliseconds_have_both_getters() -> None:
    assert view("TIME(3)", 5).get_time(0, 3) == TimeData.from_millis(5)
    assert view("INTERVAL SECOND(3)", -5).get_interval(0, 3) == IntervalData.from_millis(-5)


def test_nested_views_are_read_cell_by_cell() -> None:
    rows = GenericArrayData([GenericRowData.of(1, GenericMapData({text("k"): GenericArrayData([2, None])})), None])
    element = view("ARRAY<ROW<a INT, b MAP<STRING, ARRAY<INT>>>>", rows).get_array(0)
    assert (element.size(), element.is_null_at(1)) == (2, True)
    inner = element.get_row(0, 2)
    assert inner.get_int(0) == 1
    entries = inner.get_map(1)
    assert (entries.size(), str(entries.key_array().get_string(0))) == (1, "k")
    numbers = entries.value_array().get_array(0)
    assert (numbers.get_int(0), numbers.is_null_at(1)) == (2, True)


def test_rows_under_a_row_are_read() -> None:
    value = view("ROW<a ROW<b INT>>", GenericRowData.of(GenericRowData.of(7)))
    assert value.get_row(0, 1).get_row(0, 1).get_int(0) == 7


def test_an_array_returns_its_numbers() -> None:
    assert view("ARRAY<INT>", GenericArrayData([1, 2])).get_array(0).to_int_array() == array("i", [1, 2])


def test_a_position_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="no position 1: there are 1 values"):
        view("INT", 1).get_int(1)
    with pytest.raises(TableRuntimeException, match="no position 2: there are 2 values"):
        view("ARRAY<INT>", GenericArrayData([1, 2])).get_array(0).get_int(2)


def test_set_row_id_moves_the_view() -> None:
    value = view("INT", 1, 2)
    value.set_row_id(2)
    assert (value.row_id, value.get_int(0), value.at(1).get_int(0)) == (2, 2, 1)


@pytest.mark.parametrize("row_id", [-1, 3])
def test_a_row_that_does_not_exist_is_an_error(row_id: int) -> None:
    with pytest.raises(TableRuntimeException, match="the batch has 3 rows"):
        view("INT", 1).set_row_id(row_id)


def test_arity_counts_the_columns_of_the_type() -> None:
    assert view("INT", 1).get_arity() == 1


def test_the_kind_is_that_of_the_column_of_kinds() -> None:
    row_type = row_of("INT")
    rows = [GenericRowData.of_kind(kind, 1) for kind in RowKind]
    batch = from_row_data(rows, row_type, with_row_kinds=True)
    assert batch.schema.names == ["c0", ROW_KIND_COLUMN]
    assert [row.get_row_kind() for row in columnar_rows(batch, row_type)] == list(RowKind)


def test_set_row_kind_does_not_change_the_batch() -> None:
    value = view("INT", 1)
    value.set_row_kind(RowKind.DELETE)
    assert (value.get_row_kind(), value.at(1).get_row_kind()) == (RowKind.DELETE, RowKind.INSERT)


def test_views_and_generic_rows_of_the_same_values_are_equal() -> None:
    value = view("ARRAY<STRING>", GenericArrayData([text("a")]))
    generic = GenericRowData.of(GenericArrayData([text("a")]))
    assert value == generic
    assert generic == value
    assert value == value.at(1)
    assert hash(value) == hash(generic)
    assert value != GenericRowData.of_kind(RowKind.DELETE, GenericArrayData([text("a")]))
    assert repr(value) == repr(generic)


def test_arrays_and_maps_are_equal_to_generic_ones() -> None:
    entries = view("MAP<INT, INT>", GenericMapData({1: 2})).get_map(0)
    numbers = view("ARRAY<INT>", GenericArrayData([1])).get_array(0)
    assert isinstance(entries, ColumnarMapData)
    assert isinstance(numbers, ColumnarArrayData)
    same: list[object] = [GenericMapData({1: 2}), GenericArrayData([1])]
    assert [entries, numbers] == same
    assert (hash(entries), hash(numbers)) == (hash(GenericMapData({1: 2})), hash(GenericArrayData([1])))
    assert (repr(entries), repr(numbers)) == ("GenericMapData({1: 2})", "GenericArrayData([1])")


def test_a_view_is_pickled_without_its_batch() -> None:
    row_type = row_of("STRING")
    batch = from_row_data([GenericRowData.of(text("x" * 1000)), GenericRowData.of(text("y"))], row_type)
    data = pickle.dumps(ColumnarRowData(batch, row_type, 1))
    assert len(data) < 500
    assert pickle.loads(data) == GenericRowData.of(text("y"))


@pytest.mark.parametrize("value", [GenericArrayData([1]), GenericMapData({1: 2})])
def test_arrays_and_maps_are_pickled_without_their_batch(value: object) -> None:
    type_text = "ARRAY<INT>" if isinstance(value, GenericArrayData) else "MAP<INT, INT>"
    row = view(type_text, value)
    nested = row.get_array(0) if isinstance(value, GenericArrayData) else row.get_map(0)
    assert pickle.loads(pickle.dumps(nested)) == value


def test_nothing_is_copied_to_read_a_canonical_batch() -> None:
    row_type = row_of("STRING", "ARRAY<INT>")
    batch = from_row_data([GenericRowData.of(text("x" * 10_000), GenericArrayData(list(range(1000))))], row_type)
    before = pa.total_allocated_bytes()
    row = ColumnarRowData(batch, row_type)
    row.get_array(1).get_int(999)
    assert pa.total_allocated_bytes() - before < 1000


def test_a_slice_of_a_batch_is_read_at_its_own_rows() -> None:
    row_type = row_of("ROW<a ARRAY<INT>>")
    rows = [GenericRowData.of(GenericRowData.of(GenericArrayData([i]))) for i in range(4)]
    assert list(columnar_rows(from_row_data(rows, row_type).slice(1, 2), row_type)) == rows[1:3]


@pytest.mark.parametrize(
    ("array_", "type_text", "value"),
    [
        (pa.array(["a"]).dictionary_encode(), "STRING", text("a")),
        (pa.array(["a"], pa.large_string()), "STRING", text("a")),
        (pa.array(["a"], pa.string_view()), "STRING", text("a")),
        (pa.array([5], pa.timestamp("s")), "TIMESTAMP(3)", TimestampData.from_epoch_millis(5000)),
        (pa.array([[1]], pa.large_list(pa.int64())), "ARRAY<INT>", GenericArrayData([1])),
    ],
)
def test_columns_of_other_layouts_are_brought_to_the_canonical_one(array_: pa.Array, type_text: str, value: object) -> None:
    batch = pa.RecordBatch.from_arrays([array_], names=["c0"])
    assert ColumnarRowData(batch, row_of(type_text)) == GenericRowData.of(value)


def test_a_batch_of_other_columns_is_an_error() -> None:
    batch = from_row_data([GenericRowData.of(1)], row_of("INT"))
    with pytest.raises(ValidationException, match=r"The data has 1 columns \(c0\), but 3 are declared"):
        ColumnarRowData(batch, row_of("INT", "INT", "INT"))
    with pytest.raises(ValidationException, match="Column 'c0' is declared as STRING"):
        ColumnarRowData(batch, row_of("STRING"))


def test_a_batch_without_rows_has_no_views() -> None:
    schema = to_arrow_schema(row_of("INT"))
    assert list(columnar_rows(pa.RecordBatch.from_pylist([], schema=schema), row_of("INT"))) == []


def test_a_field_getter_reads_views_too() -> None:
    type_: LogicalType = parse_logical_type("DECIMAL(5, 2)")
    getter = RowData.create_field_getter(type_, 0)
    assert (getter(view("DECIMAL(5, 2)", DecimalData.zero(5, 2))), getter(view("DECIMAL(5, 2)", None))) == (DecimalData.zero(5, 2), None)
