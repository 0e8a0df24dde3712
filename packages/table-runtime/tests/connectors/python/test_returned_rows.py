"""What a callable returns as record batches: rows, columns and Arrow data, whole or in parts."""

from __future__ import annotations

import array
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.python.returned_rows import BATCH_ROWS, GivenRows
from table_runtime.connectors.python.user_code import UserCode

DECLARED = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING"))], nullable=False)
TAGS = RowType.of([("tags", parse_logical_type("ARRAY<STRING>")), ("r", parse_logical_type("ROW<x INT, y INT>"))], nullable=False)


def row_of(row_type: RowType, *names: str) -> RowType:
    fields = {field.name: field for field in row_type.fields}
    return RowType(tuple(fields[name] for name in names), nullable=False)


def batches(
    result: Any, declared: RowType = DECLARED, given: RowType | None = None, wanted: RowType | None = None, most: int = 1000
) -> Any:
    rows = GivenRows(UserCode("mine", "c.d.t", None), declared, given or declared, wanted or declared)
    return list(rows.batches(result, most))


def rows(result: Any, *arguments: Any, **more: Any) -> list[dict[str, Any]]:
    return [row for batch in batches(result, *arguments, **more) for row in batch.to_pylist()]


def test_columns_come_in_the_order_asked_for() -> None:
    wanted = row_of(DECLARED, "b", "a")
    for result in ([(1, "x")], [{"b": "x", "a": 1}], {"a": [1], "b": ["x"]}, pa.table({"a": [1], "b": ["x"]}), [Row(b="x", a=1)]):
        (batch,) = batches(result, wanted=wanted)
        assert batch.schema == pa.schema([("b", pa.string()), ("a", pa.int32())])
        assert batch.to_pylist() == [{"b": "x", "a": 1}]


def test_rows_by_name_may_have_columns_that_were_not_asked_for_and_rows_by_position_may_not() -> None:
    given = row_of(DECLARED, "b")
    assert rows([("x",), {"a": 1, "b": "y"}, {"b": None}], given=given, wanted=given) == [{"b": "x"}, {"b": "y"}, {"b": None}]
    with pytest.raises(TableRuntimeException, match=r"Row 1 has 2 values, but 1 columns are declared"):
        rows([(1, "x")], given=given, wanted=given)


def test_single_rows_are_put_into_batches_and_arrow_data_are_not_split() -> None:
    result = [(1, "x"), (2, "y"), (3, "z"), pa.table({"a": [4, 5, 6, 7], "b": ["p", "q", "r", "s"]}), (8, "t")]
    assert [batch.num_rows for batch in batches(result, most=2)] == [2, 1, 4, 1]
    assert [batch.num_rows for batch in batches(((n, None) for n in range(BATCH_ROWS + 1)), most=10**9)] == [BATCH_ROWS, 1]


def test_no_rows_give_no_batches() -> None:
    assert rows([]) == rows(iter(())) == rows({"a": [], "b": []}) == rows([{"a": [], "b": ()}]) == []


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"a": [1, 2], "b": ("x", None)}, [{"a": 1, "b": "x"}, {"a": 2, "b": None}]),
        ({"a": pa.chunked_array([[1], [2]]), "b": pa.array(["x", "y"]).dictionary_encode()}, [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
        ({"a": 1, "b": "x"}, [{"a": 1, "b": "x"}]),
        ({"a": 1}, [{"a": 1, "b": None}]),
        ({}, [{"a": None, "b": None}]),
    ],
)
def test_a_dict_holds_columns_if_each_value_is_one(item: Any, expected: Any) -> None:
    assert rows(item) == rows([item]) == expected


def test_a_list_is_a_value_where_the_column_is_an_array_or_a_row() -> None:
    assert rows([{"tags": ["x", "y"], "r": [1, 2]}], TAGS) == [{"tags": ["x", "y"], "r": {"x": 1, "y": 2}}]
    assert rows({"tags": [["x"], None], "r": [(1, 2), None]}, TAGS) == [{"tags": ["x"], "r": {"x": 1, "y": 2}}, {"tags": None, "r": None}]


class Stream:
    """Arrow data of another library."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


class Array:
    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


def test_data_of_other_arrow_libraries_are_read() -> None:
    table = pa.table({"b": ["x", None], "a": [1, 2]})
    expected = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert rows(Stream(table)) == rows([Stream(table)]) == rows(Array(table.to_batches()[0])) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, "the NoneType None"),
        ("text", "the str 'text'"),
        (b"b", "the bytes b'b'"),
        (7, "the int 7"),
        ("x" * 200, "the str 'x{76}[.]{3}"),
    ],
)
def test_what_holds_no_rows_is_refused_with_what_is_accepted(result: Any, expected: str) -> None:
    with pytest.raises(
        TableRuntimeException, match=rf"^The Python callable 'mine' of table c\.d\.t returned {expected}.* Accepted: a table"
    ):
        rows(result)


@pytest.mark.parametrize("item", [7, "text", None, array.array("i", [1, 2]), {1, 2}])
def test_what_is_no_row_among_rows_is_refused_after_the_rows_before(item: Any) -> None:
    found = GivenRows(UserCode("mine", "c.d.t", None), DECLARED, DECLARED, DECLARED).batches([(1, "x"), item], 1000)
    assert next(found).num_rows == 1
    with pytest.raises(TableRuntimeException, match="among its rows"):
        next(found)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"a": [1, 2], "b": ["x"]}, "different lengths: a: 2, b: 1"),
        ({"a": [1]}, r"Column 'b' does not exist in the dict of columns.*Declared: a INT, b STRING\. Returned: a list"),
        ({"a": [True], "b": ["x"]}, "In column 'a', row 1: True .class bool. is not a value of INT"),
        ({"a": [2**31], "b": ["x"]}, "In column 'a', row 1: 2147483648"),
        ({"a": pa.array([2**31]), "b": ["x"]}, "Column 'a': a value of the Arrow type int64 does not fit INT"),
        (pa.table({"a": ["x"], "b": ["x"]}), "Column 'a' is declared as INT"),
    ],
)
def test_columns_that_do_not_fit_are_told_with_both_sides(result: Any, expected: str) -> None:
    with pytest.raises(TableRuntimeException, match=rf"^The Python callable 'mine' of table c\.d\.t returned.*{expected}"):
        rows(result)


def test_a_row_that_does_not_fit_is_counted_over_all_batches() -> None:
    with pytest.raises(TableRuntimeException, match=r"row 1: .*\(Row 1 in this message is row 3 of the result\.\)"):
        rows([(1, "x"), (2, "y"), ("z", "z")], most=2)


def test_a_generator_is_closed_when_nobody_reads_on() -> None:
    closed: list[bool] = []

    def give() -> Iterator[Any]:
        try:
            yield (1, "x")
            yield (2, "y")
        finally:
            closed.append(True)

    found = GivenRows(UserCode("mine", "c.d.t", None), DECLARED, DECLARED, DECLARED).batches(give(), 1)
    next(found)
    found.close()  # type: ignore[attr-defined]  # it is a generator
    assert closed == [True]
