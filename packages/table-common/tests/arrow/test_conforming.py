from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import conform, to_arrow_schema
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type


def conformed(array: pa.Array, type_text: str) -> pa.Array:
    row_type = RowType.of([("c", parse_logical_type(type_text))], nullable=False)
    batch = conform(pa.RecordBatch.from_arrays([array], ["x"]), row_type)
    assert batch.schema.equals(to_arrow_schema(row_type), check_metadata=True)
    batch.validate(full=True)
    return batch.column(0)


def dictionary(values: list[Any], type_: pa.DataType) -> pa.Array:
    return pa.array(values, type_).dictionary_encode()


STRUCT = pa.struct([("p", pa.large_string()), ("q", pa.int32())])


@pytest.mark.parametrize(
    ("array", "type_text", "expected"),
    [
        (pa.array(["a", None], pa.large_string()), "STRING", ["a", None]),
        (pa.array(["a", None], pa.string_view()), "VARCHAR(5)", ["a", None]),
        (dictionary(["a", None, "a"], pa.string()), "STRING", ["a", None, "a"]),
        (pa.array([b"a"], pa.binary_view()), "BYTES", [b"a"]),
        (pa.array([b"ab"], pa.binary(2)), "BINARY(2)", [b"ab"]),
        (pa.array([1, None], pa.int32()), "BIGINT", [1, None]),
        (pa.array([1, None], pa.int64()), "TINYINT", [1, None]),
        (pa.array([2**64 - 1], pa.uint64()), "DECIMAL(20, 0)", [Decimal(2**64 - 1)]),
        (pa.array([5], pa.int64()), "DECIMAL(3, 1)", [Decimal("5.0")]),
        (pa.array([Decimal("1.5")], pa.decimal32(5, 1)), "DECIMAL(10, 2)", [Decimal("1.50")]),
        (pa.array([Decimal("1.50")], pa.decimal128(38, 2)), "DECIMAL(3, 1)", [Decimal("1.5")]),
        (pa.array([1.5], pa.float64()), "FLOAT", [1.5]),
        (pa.array([86_400_000], pa.date64()), "DATE", [date(1970, 1, 2)]),
        (pa.array([datetime(2020, 1, 1)], pa.timestamp("ns")), "TIMESTAMP(3)", [datetime(2020, 1, 1)]),
        (pa.array([datetime(2020, 1, 1)], pa.timestamp("s")), "TIMESTAMP(6)", [datetime(2020, 1, 1)]),
        (pa.array([-1, None], pa.timestamp("ns")), "TIMESTAMP(6)", [datetime(1969, 12, 31, 23, 59, 59, 999999), None]),
        (pa.array([-1, None], pa.timestamp("us")), "TIMESTAMP(3)", [datetime(1969, 12, 31, 23, 59, 59, 999000), None]),
        (
            dictionary([1_999, None, 1_500], pa.timestamp("us")),
            "TIMESTAMP(3)",
            [datetime(1970, 1, 1, 0, 0, 0, 1000), None, datetime(1970, 1, 1, 0, 0, 0, 1000)],
        ),
        (pa.array([None, None], pa.null()), "ARRAY<INT>", [None, None]),
        (pa.array([None], pa.null()), "STRING", [None]),
        (pa.array([[1], None, [2, 3]], pa.large_list(pa.int16())), "ARRAY<INT>", [[1], None, [2, 3]]),
        (pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), "ARRAY<INT>", [[1, 2], None]),
        (pa.array([[1], None, [2, 3]], pa.list_view(pa.int32())), "ARRAY<INT NOT NULL>", [[1], None, [2, 3]]),
        (pa.array([[1], [2, 3], None, []], pa.list_(pa.int64()))[1:], "ARRAY<INT>", [[2, 3], None, []]),
        (
            pa.array([{"p": "a", "q": 1}, None, {"p": None, "q": 2}], STRUCT)[1:],
            "ROW<a STRING, b BIGINT NOT NULL>",
            [None, {"a": None, "b": 2}],
        ),
        (
            pa.array([[("a", 1)], None, [("b", None), ("c", 3)]], pa.map_(pa.large_string(), pa.int8()))[1:],
            "MAP<STRING, INT>",
            [None, [("b", None), ("c", 3)]],
        ),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())), "MULTISET<STRING>", [[("a", 1)]]),
        (pa.array([[{"p": "a", "q": 1}]], pa.list_(STRUCT)), "ARRAY<ROW<x STRING, y INT>>", [[{"x": "a", "y": 1}]]),
    ],
)
def test_other_layouts_of_the_values_become_the_canonical_one(array: pa.Array, type_text: str, expected: list[Any]) -> None:
    assert conformed(array, type_text).to_pylist() == expected


@pytest.mark.parametrize(
    ("array", "type_text", "message"),
    [
        (pa.array([300]), "TINYINT", "Column 'c': a value of the Arrow type int64 does not fit TINYINT"),
        (pa.array([2**62], pa.timestamp("us")), "TIMESTAMP(9)", "out of bounds"),
        (pa.array([Decimal("1.55")]), "DECIMAL(3, 1)", "does not fit DECIMAL"),
        (pa.array([1e300]), "FLOAT", "does not fit FLOAT"),
        (pa.array([1, None]), "BIGINT NOT NULL", "Column 'c' is declared as BIGINT NOT NULL, but 1 of its 2 values are NULL"),
        (pa.array([[1, None]]), "ARRAY<BIGINT NOT NULL>", "An element of Column 'c' is declared as BIGINT NOT NULL"),
        (pa.array([{"a": None}], pa.struct([("a", pa.int64())])), "ROW<a BIGINT NOT NULL>", "The field 'a' of Column 'c' is declared"),
        (dictionary(["a", None], pa.string()), "STRING NOT NULL", "1 of its 2 values are NULL"),
    ],
)
def test_a_value_that_does_not_fit_is_a_runtime_error(array: pa.Array, type_text: str, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=message):
        conformed(array, type_text)


@pytest.mark.parametrize(
    ("array", "type_text"),
    [
        (pa.array(["1"]), "INT"),
        (pa.array([1]), "STRING"),
        (pa.array([1]), "DOUBLE"),
        (pa.array([1.5]), "INT"),
        (pa.array([b"a"]), "STRING"),
        (pa.array([1], pa.timestamp("us", "UTC")), "TIMESTAMP(6)"),
        (pa.array([1], pa.timestamp("us")), "TIMESTAMP_LTZ(6)"),
        (pa.array([[1]]), "ROW<a INT>"),
        (pa.array([1]), "ARRAY<INT>"),
        (pa.array([{"a": 1}]), "MAP<STRING, INT>"),
    ],
)
def test_data_of_another_type_is_a_validation_error(array: pa.Array, type_text: str) -> None:
    with pytest.raises(ValidationException, match=r"Column 'c' is declared as .*, but its data has the Arrow type"):
        conformed(array, type_text)


def test_a_struct_with_other_fields_is_a_validation_error() -> None:
    with pytest.raises(ValidationException, match=r"is declared with 2 fields \(a, b\), but its data has 1 \(a\)"):
        conformed(pa.array([{"a": 1}]), "ROW<a INT, b INT>")


def test_columns_can_be_taken_by_name() -> None:
    row_type = RowType.of([("b", parse_logical_type("INT")), ("a", parse_logical_type("STRING"))], nullable=False)
    table = pa.table({"a": ["x"], "z": [0], "b": [1]})
    assert conform(table, row_type, match_names=True).to_pylist() == [{"b": 1, "a": "x"}]


def test_a_missing_name_is_an_error_that_lists_the_columns() -> None:
    row_type = RowType.of([("ab", parse_logical_type("INT"))], nullable=False)
    with pytest.raises(ValidationException, match=r"Column 'ab' does not exist in the data\. Did you mean 'abc'"):
        conform(pa.table({"abc": [1]}), row_type, match_names=True)


def test_another_number_of_columns_is_an_error() -> None:
    with pytest.raises(ValidationException, match=r"The data has 2 columns \(a, b\), but 1 are declared \(c\)"):
        conform(pa.table({"a": [1], "b": [1]}), RowType.of([("c", parse_logical_type("INT"))]))


def test_chunks_with_different_dictionaries_are_decoded() -> None:
    chunks = pa.chunked_array([dictionary(["a"], pa.string()), dictionary(["b", "a"], pa.string())])
    row_type = RowType.of([("c", parse_logical_type("STRING"))])
    assert conform(pa.table({"c": chunks}), row_type).column("c").to_pylist() == ["a", "b", "a"]


def test_an_empty_table_conforms() -> None:
    row_type = RowType.of([("c", parse_logical_type("ARRAY<STRING>"))])
    table = pa.table({"c": pa.chunked_array([], pa.large_list(pa.string()))})
    assert conform(table, row_type).schema.equals(to_arrow_schema(row_type))
