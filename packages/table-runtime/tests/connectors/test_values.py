"""Tables of rows that a program registered."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_common.connector import (
    AsyncLookupFunctionProvider,
    FullCachingLookupProvider,
    LookupFunctionProvider,
    LookupTableSource,
    PartialCachingLookupProvider,
    ScanTableSource,
)
from table_common.exceptions import TableError, ValidationException
from table_common.factories import DynamicTableFactory
from table_common.types import RowType
from table_runtime.connectors.values import ValuesTableFactory, ValuesTableSource, register_values, unregister_values

TableContext = Callable[..., DynamicTableFactory.Context]
COLUMNS = {"a": "INT", "b": "STRING", "c": "DOUBLE"}


@pytest.fixture(autouse=True)
def _rows() -> Iterator[None]:
    register_values("mine", [(1, "x", 0.5), (2, None, None)])
    yield
    unregister_values("mine")
    unregister_values("mine")


def source_of(table: TableContext, **options: str) -> ValuesTableSource:
    given = {"connector": "values", "data-id": "mine", **{key.replace("_", "-"): value for key, value in options.items()}}
    source = ValuesTableFactory().create_dynamic_table_source(table(COLUMNS, given))
    assert isinstance(source, ValuesTableSource)
    return source


def rows_of(source: ValuesTableSource) -> list[dict[str, Any]]:
    provider = pickle.loads(pickle.dumps(source.get_scan_runtime_provider(ScanTableSource.ScanContext())))
    return [row for split in provider.splits() for batch in provider.read(split) for row in batch.to_pylist()]


def test_rows_are_read_as_they_were_when_the_source_was_made(table: TableContext) -> None:
    source = source_of(table)
    register_values("mine", [(3, "z", 1.0)])
    assert rows_of(source) == [{"a": 1, "b": "x", "c": 0.5}, {"a": 2, "b": None, "c": None}]
    assert rows_of(source_of(table)) == [{"a": 3, "b": "z", "c": 1.0}]
    assert source.as_summary_string() == "values(mine)"


def test_no_rows_are_a_table_without_rows(table: TableContext) -> None:
    register_values("mine", [])
    assert rows_of(source_of(table)) == []


def test_only_the_columns_asked_for_come_out_in_their_order(table: TableContext) -> None:
    source = source_of(table)
    source.apply_projection([(2,), (0,)], RowType((source.row_type.fields[2], source.row_type.fields[0]), nullable=False))
    assert rows_of(source) == [{"c": 0.5, "a": 1}, {"c": None, "a": 2}]


def test_rows_that_are_not_registered_are_named_with_the_closest(table: TableContext) -> None:
    with pytest.raises(ValidationException, match=r"'mines' does not exist in table c\.d\.t\. Did you mean 'mine'"):
        source_of(table, data_id="mines")


def test_rows_that_do_not_fit_the_table_are_refused(table: TableContext) -> None:
    register_values("mine", [(1, "x", "text")])
    with pytest.raises(TableError, match=r"'c'.*'text'"):
        source_of(table)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, LookupFunctionProvider),
        ({"lookup_mode": "row"}, LookupFunctionProvider),
        ({"lookup_mode": "async-batch"}, AsyncLookupFunctionProvider),
        ({"lookup.cache": "PARTIAL", "lookup.partial_cache.max_rows": "5"}, PartialCachingLookupProvider),
        ({"lookup.cache": "FULL"}, FullCachingLookupProvider),
    ],
)
def test_options_choose_the_function_that_looks_rows_up_and_its_cache(table: TableContext, options: dict[str, str], expected: type) -> None:
    provider = source_of(table, **options).get_lookup_runtime_provider(LookupTableSource.LookupContext([(0,)]))
    assert isinstance(provider, expected)


def test_a_way_of_looking_up_that_does_not_exist_is_refused(table: TableContext) -> None:
    with pytest.raises(ValidationException, match="lookup-mode"):
        source_of(table, lookup_mode="all")
