"""The connector ``python`` without an engine: what callables may give and are told, and what is said when they are wrong."""

from __future__ import annotations

import datetime
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_common.arrow import to_python_rows
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ReadableConfig
from table_common.connector import ScanTableSource
from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.factories import DynamicTableFactory
from table_common.functions.builtin.comparison import EQUALS
from table_common.types import BooleanType, IntType, RowType, parse_logical_type
from table_runtime.connectors.python import PythonTableFactory, register_callable, unregister_callable
from table_runtime.connectors.python.source import PythonTableSource

COLUMNS = "a INT, b STRING"
MODULE = "user_rows"


@pytest.fixture(autouse=True)
def _module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives this module a name that can be written in an option, as the modules of programs have."""
    monkeypatch.setitem(sys.modules, MODULE, sys.modules[__name__])


@pytest.fixture
def register() -> Iterator[Callable[[object], str]]:
    def add(target: object) -> str:
        register_callable("mine", target)
        return "mine"

    yield add
    unregister_callable("mine")


def row_of(columns: str) -> RowType:
    row_type = parse_logical_type(f"ROW<{columns}> NOT NULL")
    assert isinstance(row_type, RowType)
    return row_type


def context_of(options: dict[str, str], columns: str = COLUMNS) -> DynamicTableFactory.Context:
    physical = ResolvedSchema.physical([(field.name, field.type) for field in row_of(columns).fields])
    table = ResolvedCatalogTable(CatalogTable(Schema(()), options={"connector": "python", **options}), physical)
    return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())


def source_of(name: str, columns: str = COLUMNS, **options: str) -> PythonTableSource:
    return PythonTableFactory().create_dynamic_table_source(context_of({"callable": name, **options}, columns))


def project(source: PythonTableSource, *positions: int) -> PythonTableSource:
    produced = RowType(tuple(source.row_type.fields[position] for position in positions), nullable=False)
    source.apply_projection([(position,) for position in positions], produced)
    return source


def batches_of(source: PythonTableSource) -> list[pa.RecordBatch]:
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    return [pa.record_batch(batch) for split in provider.splits() for batch in provider.read(split)]


def rows_of(source: PythonTableSource) -> list[tuple[object, ...]]:
    fields = source.row_type.fields
    columns = range(len(fields)) if source.columns is None else source.columns
    return list(to_python_rows(batches_of(source), RowType(tuple(fields[column] for column in columns), nullable=False)))


def importable() -> Iterator[tuple[int, str]]:
    """Is named by tests."""
    yield from ROWS


ROWS = [(1, "x"), (2, None)]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([(1, "x"), (2, None)], id="tuples"),
        pytest.param([[1, "x"], {"a": 2}], id="a list and a dict"),
        pytest.param([Row(1, "x"), Row(b=None, a=2)], id="Rows"),
        pytest.param(pa.table({"b": ["x", None], "a": [1, 2]}), id="a table with its columns in another order"),
        pytest.param([pa.record_batch({"a": [1], "b": ["x"], "more": [0]}), pa.table({"a": [2], "b": [None]})], id="Arrow data"),
        pytest.param({"a": [1, 2], "b": pa.array(["x", None])}, id="a dict of columns"),
        pytest.param([{"a": (1,), "b": ["x"]}, (2, None)], id="a dict of columns, then a row"),
        pytest.param([(1, "x"), pa.table({"a": [2], "b": [None]})], id="a row, then a table"),
        pytest.param(pa.table({"a": pa.array([1, 2], pa.int8()), "b": pa.array(["x", None]).dictionary_encode()}), id="other Arrow types"),
        pytest.param(pa.table({"a": [1, 2], "b": ["x", None]}).to_batches()[0], id="a record batch"),
    ],
)
def test_rows_may_be_given_in_many_ways(register: Callable[[object], str], given: object) -> None:
    assert rows_of(source_of(register(lambda: given))) == [(1, "x"), (2, None)]


def test_a_reader_of_batches_is_read(register: Callable[[object], str]) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    assert rows_of(source_of(register(table.to_reader))) == [(1, "x"), (2, None)]


def test_an_iterable_is_read_without_a_call(register: Callable[[object], str]) -> None:
    assert rows_of(source_of(register(ROWS))) == ROWS


@pytest.mark.parametrize("name", [f"{MODULE}:importable", f"{MODULE}.importable", f"{MODULE}:ROWS"])
def test_a_name_is_imported(name: str) -> None:
    assert rows_of(source_of(name)) == ROWS


def test_a_dict_of_lists_is_a_row_where_the_columns_are_arrays(register: Callable[[object], str]) -> None:
    rows = [{"tags": ["x", "y"], "more": [1]}, {"tags": None, "more": []}]
    assert rows_of(source_of(register(rows), "tags ARRAY<STRING>, more ARRAY<INT>")) == [(["x", "y"], [1]), (None, [])]


def test_a_dict_of_lists_of_lists_is_columns_of_arrays(register: Callable[[object], str]) -> None:
    assert rows_of(source_of(register({"tags": [["x"], None]}), "tags ARRAY<STRING>")) == [(["x"],), (None,)]


def test_values_of_the_standard_library_are_taken(register: Callable[[object], str]) -> None:
    moment = datetime.datetime(2024, 2, 29, 1, 2, 3)
    assert rows_of(source_of(register([(moment,)]), "t TIMESTAMP(3)")) == [(moment,)]


def test_no_rows_are_none(register: Callable[[object], str]) -> None:
    assert rows_of(source_of(register(list))) == []


def test_the_callable_is_called_at_each_scan(register: Callable[[object], str]) -> None:
    calls: list[int] = []
    source = source_of(register(lambda: calls.append(1) or [(len(calls), None)]))
    assert [rows_of(source), rows_of(source)] == [[(1, None)], [(2, None)]]


def test_columns_are_chosen_of_what_is_given(register: Callable[[object], str]) -> None:
    assert rows_of(project(source_of(register(ROWS)), 1)) == [("x",), (None,)]


def test_rows_without_columns_are_counted(register: Callable[[object], str]) -> None:
    (batch,) = batches_of(project(source_of(register(ROWS))))
    assert (batch.num_rows, batch.num_columns) == (2, 0)


@pytest.mark.parametrize("row", [("x",), {"b": "x"}, {"a": 1, "b": "x"}])
def test_a_callable_is_told_the_columns_if_it_asks(register: Callable[[object], str], row: object) -> None:
    asked: list[list[str]] = []

    def give(*, columns: list[str]) -> list[object]:
        asked.append(columns)
        return [row]

    assert rows_of(project(source_of(register(give)), 1)) == [("x",)]
    assert asked == [["b"]]


def test_a_callable_is_asked_for_one_column_where_rows_are_only_counted(register: Callable[[object], str]) -> None:
    def give(columns: list[str]) -> Any:
        assert columns == ["a"]
        return {"a": [1, 2, 3]}

    (batch,) = batches_of(project(source_of(register(give))))
    assert (batch.num_rows, batch.num_columns) == (3, 0)


def equals(value: int) -> CallExpression:
    condition = (FieldReferenceExpression("a", IntType(), 0, 0), ValueLiteralExpression(value, IntType(nullable=False)))
    return CallExpression(EQUALS, condition, BooleanType())


def test_a_callable_is_told_filters_which_are_applied_again(register: Callable[[object], str]) -> None:
    def give(filters: pc.Expression | None = None) -> pa.Table:
        return pa.table({"a": [1, 2], "b": ["x", None]}).filter(filters)

    source = source_of(register(give))
    result = source.apply_filters([equals(2)])
    assert list(result.accepted_filters) == list(result.remaining_filters) == [equals(2)]
    assert rows_of(source) == [(2, None)]
    assert source.as_summary_string() == "python(mine, filters=1)"


def test_a_callable_that_does_not_ask_is_told_no_filters(register: Callable[[object], str]) -> None:
    assert source_of(register(lambda: ROWS)).apply_filters([equals(2)]).accepted_filters == ()


def test_a_limit_ends_rows_that_never_end(register: Callable[[object], str]) -> None:
    closed: list[bool] = []

    def give(limit: int | None) -> Iterator[tuple[int, str]]:
        try:
            while True:
                yield limit or 0, "x"
        finally:
            closed.append(True)

    source = source_of(register(give))
    source.apply_limit(3)
    assert rows_of(source) == [(3, "x")] * 3
    assert closed == [True]


def test_a_limit_cuts_batches(register: Callable[[object], str]) -> None:
    source = source_of(register([pa.table({"a": [1, 2], "b": ["x", "y"]})] * 2))
    source.apply_limit(3)
    assert rows_of(source) == [(1, "x"), (2, "y"), (1, "x")]


def test_a_callable_gets_the_options_that_it_asks_for(register: Callable[[object], str]) -> None:
    source = source_of(register(lambda options: [(int(options["size"]), options["name"])]), **{"options.size": "4", "options.name": "n"})
    assert rows_of(source) == [(4, "n")]


def test_many_rows_come_in_batches(register: Callable[[object], str]) -> None:
    batches = batches_of(source_of(register(lambda: ((number, None) for number in range(40_000)))))
    assert len(batches) == 3
    assert sum(batch.num_rows for batch in batches) == 40_000


def test_the_provider_can_be_pickled_with_a_filter() -> None:
    source = source_of(f"{MODULE}:importable")
    source.condition = pc.field("a") > 1
    provider = pickle.loads(pickle.dumps(source.get_scan_runtime_provider(ScanTableSource.ScanContext())))
    assert provider.carries_user_code


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([(1,)], r"Row 1 has 1 values, but 2 columns are declared \(a, b\)\. Declared: a INT, b STRING"),
        ([("x", "y")], r"In column 'a', row 1: 'x' .class str. is not a value of INT.*Declared: a INT, b STRING"),
        ([{"a": 1, "bb": "x"}], r"Column 'bb' does not exist in row 1\. Did you mean 'b'\?"),
        (
            pa.table({"a": ["x"], "b": ["y"]}),
            r"Column 'a' is declared as INT, but .* string.*Declared: a INT, b STRING.*Returned: a string, b string",
        ),
        (
            pa.table({"a": [1], "c": ["y"]}),
            r"Column 'b' does not exist in the data.*Declared: a INT, b STRING.*Returned: a int64, c string",
        ),
        (pa.table({"a": [1 << 40], "b": ["y"]}), r"does not fit INT.*Declared: a INT"),
        ({"a": [1], "c": ["x"]}, r"Column 'b' does not exist in the dict of columns.*Returned: a list, c list"),
        ({"a": [1, 2], "b": ["x"]}, "different lengths: a: 2, b: 1"),
        (7, r"returned the int 7\. Accepted: a table, record batch"),
        ("text", r"returned the str 'text'\. Accepted"),
        ([7], "returned the int 7 among its rows"),
        ([pa.array([1])], "failed: "),
    ],
)
def test_rows_that_do_not_fit_are_shown_with_what_is_declared(register: Callable[[object], str], given: object, expected: str) -> None:
    with pytest.raises(TableRuntimeException, match=expected) as failure:
        rows_of(source_of(register(lambda: given)))
    assert failure.value.message.startswith("The Python callable 'mine' of table c.d.t ")


def test_null_in_a_required_column_is_refused(register: Callable[[object], str]) -> None:
    with pytest.raises(TableRuntimeException, match=r"NULL.*Declared: a INT NOT NULL"):
        rows_of(source_of(register([(None,)]), "a INT NOT NULL"))


def test_a_row_is_counted_from_the_first_of_its_batch(register: Callable[[object], str]) -> None:
    with pytest.raises(TableRuntimeException, match=r"row 2: .* \(Row 1 in this message is row 16385 of the result\.\)"):
        rows_of(source_of(register([*[(1, None)] * 16_385, ("x", None)])))


def give_badly() -> Iterator[tuple[int, str]]:
    """Fails after a row."""
    yield 1, "x"
    raise KeyError("no such key")


def test_a_failure_names_the_callable_and_the_line_of_the_user() -> None:
    with pytest.raises(TableRuntimeException) as failure:
        rows_of(source_of(f"{MODULE}:give_badly"))
    message = failure.value.message
    assert message.startswith(f"The Python callable '{MODULE}:give_badly' of table c.d.t failed: KeyError: 'no such key'\n")
    assert 'raise KeyError("no such key")' in message
