from __future__ import annotations

from array import array
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows, from_row_data, to_arrow_schema, to_row_data
from table_common.data import (
    DecimalData,
    GenericArrayData,
    GenericMapData,
    GenericRowData,
    IntervalData,
    PickleSerializer,
    RawValueData,
    RowKind,
    StringData,
    TimeData,
    TimestampData,
)
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type


def row_of(*types: str) -> RowType:
    return RowType.of([(f"c{i}", parse_logical_type(text)) for i, text in enumerate(types)], nullable=False)


def round_trip(type_text: str, *values: Any) -> list[Any]:
    row_type = row_of(type_text)
    batch = from_row_data([GenericRowData.of(value) for value in values], row_type)
    batch.validate(full=True)
    assert batch.schema.equals(to_arrow_schema(row_type), check_metadata=True)
    return [row.get_field(0) for row in to_row_data([batch], row_type)]


def test_timestamps_before_1970_keep_their_nanoseconds() -> None:
    values = [TimestampData.from_epoch_millis(-1, 1), TimestampData.from_epoch_millis(-(2**63) // 10**6, 224_192), None]
    assert round_trip("TIMESTAMP(9)", *values) == values


def test_decimals_of_38_digits_and_of_few_come_back() -> None:
    values = [DecimalData.from_unscaled_bytes(38, 10, (sign * (10**38 - 1)).to_bytes(17, "big", signed=True)) for sign in (1, -1)]
    assert round_trip("DECIMAL(38, 10)", *values, None) == [*values, None]
    small = [DecimalData.from_unscaled_long(18, 18, sign * (10**18 - 1)) for sign in (1, -1)]
    assert round_trip("DECIMAL(18, 18)", *small, None) == [*small, None]


def test_a_decimal_of_another_scale_is_brought_to_the_types() -> None:
    (value,) = round_trip("DECIMAL(5, 2)", DecimalData.from_unscaled_long(5, 1, 15))
    assert (value.precision, value.scale, str(value)) == (5, 2, "1.50")


def test_primitive_arrays_become_elements_without_objects() -> None:
    assert round_trip("ARRAY<INT>", GenericArrayData(array("i", [1, 2])), None, GenericArrayData(array("i"))) == [
        GenericArrayData([1, 2]),
        None,
        GenericArrayData([]),
    ]


def test_primitive_arrays_of_another_width_are_converted() -> None:
    assert round_trip("ARRAY<INT>", GenericArrayData(array("q", [1]))) == [GenericArrayData([1])]


def test_views_in_generic_rows_are_taken() -> None:
    row_type = row_of("ARRAY<INT>", "MAP<STRING, INT>", "ROW<a INT>")
    row = GenericRowData.of(GenericArrayData([1, None]), GenericMapData({StringData.from_string("k"): 1}), GenericRowData.of(5))
    (view,) = columnar_rows(from_row_data([row], row_type), row_type)
    mixed = GenericRowData.of(view.get_array(0), view.get_map(1), view.get_row(2, 1))
    assert list(to_row_data([from_row_data([mixed], row_type)], row_type)) == [row]


def test_views_of_one_batch_become_a_batch_without_a_value_being_read() -> None:
    row_type = row_of("STRING")
    batch = from_row_data([GenericRowData.of(StringData.from_string(c)) for c in "abcd"], row_type)
    views = list(columnar_rows(batch, row_type))
    assert from_row_data(views[1:3], row_type).column(0).buffers()[2].address == batch.column(0).buffers()[2].address
    assert from_row_data([views[3], views[0]], row_type).column(0).to_pylist() == ["d", "a"]


def test_views_of_several_batches_become_one_batch() -> None:
    row_type = row_of("INT")
    views = [next(columnar_rows(from_row_data([GenericRowData.of(i)], row_type), row_type)) for i in range(2)]
    assert from_row_data(views, row_type).column(0).to_pylist() == [0, 1]


def test_the_kinds_of_changes_come_back() -> None:
    row_type = row_of("INT")
    rows = [GenericRowData.of_kind(kind, kind.value) for kind in RowKind]
    batch = from_row_data(rows, row_type, with_row_kinds=True)
    assert (batch.column(1).type, list(to_row_data([batch], row_type))) == (pa.int8(), rows)


def test_a_change_in_a_batch_without_kinds_is_an_error() -> None:
    with pytest.raises(ValidationException, match="Row 1 is a change of the kind -D, which a batch without row kinds cannot represent"):
        from_row_data([GenericRowData.of_kind(RowKind.DELETE, 1)], row_of("INT"))


def test_rows_without_columns_keep_their_count() -> None:
    batch = from_row_data([GenericRowData.of()] * 2, RowType(nullable=False))
    assert (batch.num_rows, list(to_row_data([batch], RowType()))) == (2, [GenericRowData.of()] * 2)


def test_no_rows_make_an_empty_batch_of_the_schema() -> None:
    row_type = row_of("INT", "ARRAY<INT>")
    batch = from_row_data([], row_type)
    assert (batch.num_rows, batch.schema.equals(to_arrow_schema(row_type))) == (0, True)


def test_objects_of_a_raw_type_are_written_with_the_serializer_given() -> None:
    row_type, serializer = row_of("RAW('fractions.Fraction', 's')"), PickleSerializer(Fraction)
    rows = [GenericRowData.of(RawValueData.from_object(Fraction(1, 2)))]
    batch = from_row_data(rows, row_type, serializers={"fractions.Fraction": serializer})
    (row,) = to_row_data([batch], row_type)
    assert row.get_raw_value(0).to_object(serializer) == Fraction(1, 2)


def test_objects_of_a_raw_type_without_a_serializer_are_an_error() -> None:
    with pytest.raises(ValidationException, match=r"no serializer is known for the class 'fractions\.Fraction'"):
        from_row_data([GenericRowData.of(RawValueData.from_object(Fraction(1, 2)))], row_of("RAW('fractions.Fraction', 's')"))


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        (
            "INT",
            StringData.from_string("x"),
            r"In column 'c0', row 2: StringData\('x'\) .* is not a value of INT: its internal structure is int",
        ),
        ("INT", True, "its internal structure is int"),
        ("INT", 2**31, "2147483648 .* is not a value of INT"),
        ("TINYINT", 128, "is not a value of TINYINT"),
        ("BOOLEAN", 1, "its internal structure is bool"),
        ("DOUBLE", 1, "its internal structure is float"),
        ("STRING", b"x", "its internal structure is StringData"),
        ("BYTES", StringData.from_string("x"), "its internal structure is bytes"),
        ("DATE", 1.5, "its internal structure is int"),
        ("DATE", 2**31, "is not a value of DATE"),
        ("INTERVAL MONTH", 2**31, "is not a value of INTERVAL MONTH"),
        ("DECIMAL(5, 2)", DecimalData.from_unscaled_long(6, 2, 100_000), "more digits than 3 before and 2 after the point"),
        ("DECIMAL(5, 2)", DecimalData.from_unscaled_long(6, 3, 1), "more digits than 3 before and 2 after the point"),
        ("DECIMAL(20, 2)", DecimalData.from_unscaled_bytes(38, 2, (10**20).to_bytes(9, "big")), "more digits than 18 before and 2"),
        ("TIMESTAMP(9)", TimestampData.from_epoch_millis(2**60), "stored in nanoseconds of 64 bits, for the years 1677 to 2262"),
        ("TIMESTAMP(3)", TimestampData.from_epoch_millis(2**62), "overflow"),
        ("TIME(3)", 86_400_000, "it is not within a day"),
        ("TIME(3)", TimeData.from_nanos(0), "its internal structure is int"),
        ("TIME(6)", 5, "its internal structure is TimeData"),
        ("INTERVAL SECOND(9)", IntervalData.from_millis(2**62), "is not a value of INTERVAL SECOND"),
        ("NULL", 1, "its internal structure is NoneType"),
        ("ARRAY<INT>", GenericArrayData([StringData.from_string("x")]), "row 2, an element: StringData"),
        ("ARRAY<INT NOT NULL>", GenericArrayData([None]), "row 2, an element: None .* it is NULL"),
        ("ARRAY<INT>", GenericMapData({}), "its internal structure is ArrayData"),
        ("MAP<STRING, INT>", GenericMapData({1: 1}), "row 2, a key or value: 1"),
        ("MAP<STRING, INT>", GenericMapData({None: 1}), "row 2, a key or value: None"),
        ("ROW<a INT, b ROW<c INT>>", GenericRowData.of(1, GenericRowData.of(b"x")), "row 2, field 'b', field 'c': b'x'"),
        ("ROW<a INT NOT NULL>", GenericRowData.of(None), "row 2, field 'a': None"),
        ("ROW<a INT>", GenericRowData.of(1, 2), "it takes 1 values, but has 2"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_column_row_and_type(type_text: str, value: object, message: str) -> None:
    rows = [GenericRowData.of(None), GenericRowData.of(value)]
    with pytest.raises(ValidationException, match=message) as caught:
        from_row_data(rows, row_of(type_text))
    assert "In column 'c0', row 2" in str(caught.value)


def test_null_in_a_not_null_column_is_an_error() -> None:
    with pytest.raises(ValidationException, match=r"row 1: None .* is not a value of INT NOT NULL: it is NULL"):
        from_row_data([GenericRowData.of(None)], row_of("INT NOT NULL"))
    batch = pa.RecordBatch.from_arrays([pa.array([None], pa.int32())], names=["c0"])
    with pytest.raises(TableRuntimeException, match="1 of its 1 values are NULL"):
        list(to_row_data([batch], row_of("INT NOT NULL")))


@pytest.mark.parametrize(("row", "message"), [(GenericRowData.of(1, 2), "Row 1 has 2 fields, but 1"), ((1,), "of class tuple, no RowData")])
def test_what_is_no_row_of_the_type_is_an_error(row: Any, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        from_row_data([row], row_of("INT"))
