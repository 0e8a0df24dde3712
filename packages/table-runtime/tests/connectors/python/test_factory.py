"""Sources and sinks of the connector ``python`` by the options of their table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import DynamicTableFactory
from table_common.types import parse_logical_type
from table_runtime.connectors.python import PythonTableFactory, register_callable, unregister_callable


@pytest.fixture
def register() -> Iterator[Callable[[object], str]]:
    def add(target: object) -> str:
        register_callable("mine", target)
        return "mine"

    yield add
    unregister_callable("mine")


def context_of(**options: str) -> DynamicTableFactory.Context:
    schema = ResolvedSchema.physical([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING"))])
    given = {"connector": "python", **{key.replace("_", "."): value for key, value in options.items()}}
    table = ResolvedCatalogTable(CatalogTable(Schema(()), options=given), schema)
    return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())


def test_a_table_may_have_a_callable_for_reading_and_one_for_writing(register: Callable[[object], str]) -> None:
    register(list)
    context = context_of(callable="mine", sink_callable="json:dumps")
    assert PythonTableFactory().create_dynamic_table_source(context).as_summary_string() == "python(mine)"
    assert PythonTableFactory().create_dynamic_table_sink(context).as_summary_string() == "python(json:dumps)"


@pytest.mark.parametrize(
    ("options", "read", "written"),
    [
        ({"sink_callable": "json:dumps"}, "cannot be read without the option 'callable': only 'sink.callable' is set", None),
        ({"callable": "json:dumps"}, None, "cannot be written without the option 'sink.callable': only 'callable' is set"),
        ({}, "the option 'callable': it is not set", "the option 'sink.callable': it is not set"),
    ],
)
def test_the_option_that_is_missing_is_named(options: dict[str, str], read: str | None, written: str | None) -> None:
    if read is not None:
        with pytest.raises(ValidationException, match=rf"^Table c\.d\.t .*{read}"):
            PythonTableFactory().create_dynamic_table_source(context_of(**options))
    if written is not None:
        with pytest.raises(ValidationException, match=rf"^Table c\.d\.t .*{written}"):
            PythonTableFactory().create_dynamic_table_sink(context_of(**options))


def test_an_option_that_does_not_exist_is_refused_with_the_closest() -> None:
    with pytest.raises(ValidationException, match=r"unknown: 'calable' .did you mean 'callable'"):
        PythonTableFactory().create_dynamic_table_source(context_of(calable="x"))


def test_options_behind_the_prefix_are_those_of_the_callable(register: Callable[[object], str]) -> None:
    register(lambda options: [options])
    source = PythonTableFactory().create_dynamic_table_source(context_of(callable="mine", options_x="1", options_y="2"))
    assert source.code.options == {"x": "1", "y": "2"}


def inferred(**options: str) -> Any:
    schema = PythonTableFactory().infer_schema(context_of(**options))
    return None if schema is None else [f"{field.name} {field.type}" for field in schema.row_type.fields]


TABLE = pa.table({"n": pa.array([1], pa.int16()), "t": pa.array([dt.datetime(2020, 1, 1)], pa.timestamp("ms"))})


@pytest.mark.parametrize(
    "target",
    [TABLE, lambda: TABLE, lambda: TABLE.to_batches(), lambda: TABLE.to_reader(), lambda: iter(TABLE.to_batches()), lambda limit: TABLE],
)
def test_columns_are_those_of_the_first_arrow_data(register: Callable[[object], str], target: Any) -> None:
    register(target)
    assert inferred(callable="mine") == ["n SMALLINT", "t TIMESTAMP(3)"]


@pytest.mark.parametrize(
    "target", [[(1, 2)], list, lambda: {"a": [1]}, lambda: "text", lambda: None, lambda columns: TABLE, lambda: iter(())]
)
def test_columns_cannot_be_known_of_rows(register: Callable[[object], str], target: Any) -> None:
    register(target)
    assert inferred(callable="mine") is None


def test_a_table_that_is_only_written_has_no_columns_to_infer() -> None:
    assert inferred(sink_callable="json:dumps") is None


def test_a_callable_that_fails_is_an_error_when_columns_are_inferred(register: Callable[[object], str]) -> None:
    register(lambda: 1 // 0)
    with pytest.raises(TableRuntimeException, match="failed: ZeroDivisionError"):
        inferred(callable="mine")


def test_a_generator_is_closed_when_its_columns_are_known(register: Callable[[object], str]) -> None:
    closed: list[bool] = []

    def give() -> Iterator[pa.Table]:
        try:
            while True:
                yield TABLE
        finally:
            closed.append(True)

    register(give)
    assert inferred(callable="mine") == ["n SMALLINT", "t TIMESTAMP(3)"]
    assert closed == [True]
