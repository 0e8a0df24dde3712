"""Functions over whole rows: ``map``, ``flat_map``, ``join_lateral``, ``aggregate`` and ``flat_aggregate``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from table_api import Row
from table_api.expressions.unresolved import Alias, Call, Reference, UnresolvedExpression
from table_api.operations import ProjectQueryOperation, QueryOperation, UnnestQueryOperation
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.row_functions import aggregate_rows, call_with_row, flat_map_rows, join_rows, map_rows, table_aggregate_rows
from table_api.udf import udf, udtaf, udtf
from table_common.exceptions import ValidationException
from table_common.functions import TableAggregateFunction, as_user_function
from table_common.types import BigIntType, IntType, RowType, VarCharType


class Top(TableAggregateFunction[Row, list[int]]):
    """The greatest value, with its rank."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)

    def emit_value(self, accumulator: list[int]) -> Iterator[Row]:
        yield Row(max(accumulator), 1)


AGE = Reference(("age",))


@udtf(result_types=["BIGINT", "STRING"])
def numbers(value: int) -> Iterator[tuple[int, str]]:
    yield value, "x"


@pytest.fixture
def api(session: Any) -> OperationBuilder:
    return OperationBuilder(session)


@pytest.fixture
def rows(api: OperationBuilder) -> QueryOperation:
    return api.project(api.from_path(("t",)), [Reference(("name",)), AGE])


def call(function: Any, *args: UnresolvedExpression) -> Call:
    return Call(as_user_function(function), args or (AGE,))


def pair() -> Any:
    return udf(lambda value: Row(value, "x"), result_type="ROW<n BIGINT, s STRING>", name="pair")


def names(operation: QueryOperation) -> tuple[str, ...]:
    return operation.resolved_schema.column_names


def test_map_of_a_row_result_has_its_fields_as_columns(api: OperationBuilder, rows: QueryOperation) -> None:
    result = map_rows(api, rows, call(pair()))
    assert names(result) == ("n", "s")
    assert isinstance(result, ProjectQueryOperation)
    assert isinstance(result.child, ProjectQueryOperation)  # the call is evaluated once, below


def test_map_of_another_result_is_one_column(api: OperationBuilder, rows: QueryOperation) -> None:
    one = udf(lambda value: value, result_type="BIGINT", name="one")
    assert names(map_rows(api, rows, call(one))) == ("f0",)
    assert names(map_rows(api, rows, Alias(call(one), "n"))) == ("n",)


def test_an_alias_names_all_columns(api: OperationBuilder, rows: QueryOperation) -> None:
    assert names(map_rows(api, rows, Alias(call(pair()), "a", ("b",)))) == ("a", "b")
    with pytest.raises(ValidationException, match="map returns 2 columns, but 1 names were specified: a"):
        map_rows(api, rows, Alias(call(pair()), "a"))


def test_the_whole_row_is_the_argument_of_a_row_call(rows: QueryOperation) -> None:
    made = call_with_row(as_user_function(pair()), rows)
    assert isinstance(made, Call)
    (argument,) = made.args
    expression: Any = argument
    assert expression.expression.output_type == RowType.of([("name", VarCharType()), ("age", IntType())], nullable=False)


def test_a_lateral_join_adds_the_columns_of_the_function(api: OperationBuilder, rows: QueryOperation) -> None:
    joined = join_rows(api, rows, Alias(call(numbers), "n", ("s",)), keeps_empty=True)
    assert isinstance(joined, UnnestQueryOperation)
    assert joined.keeps_empty
    assert names(joined) == ("name", "age", "n", "s")


def test_flat_map_returns_only_the_columns_of_the_function(api: OperationBuilder, rows: QueryOperation) -> None:
    assert names(flat_map_rows(api, rows, call(numbers))) == ("f0", "f1")


def test_a_lateral_join_takes_a_table_function(api: OperationBuilder, rows: QueryOperation) -> None:
    with pytest.raises(ValidationException, match="Expected a call of a table function"):
        join_rows(api, rows, call(pair()), keeps_empty=False)


def test_a_lateral_join_repeats_no_column_name(api: OperationBuilder, rows: QueryOperation) -> None:
    with pytest.raises(ValidationException, match="Both sides of the join have the columns age"):
        join_rows(api, rows, Alias(call(numbers), "age", ("s",)), keeps_empty=False)


def test_an_aggregate_has_the_grouping_columns_and_its_result(api: OperationBuilder, rows: QueryOperation) -> None:
    total = Call(("SUM",), (AGE,))
    grouped = aggregate_rows(api, rows, [Reference(("name",))], Alias(total, "s"))
    assert names(grouped) == ("name", "s")
    assert names(aggregate_rows(api, rows, [], total)) == ("f0",)


def test_columns_of_an_aggregate_may_replace_the_groups(api: OperationBuilder, rows: QueryOperation) -> None:
    grouped = aggregate_rows(api, rows, [Reference(("name",))], Alias(Call(("SUM",), (AGE,)), "s"), columns=[])
    assert names(grouped) == ("s",)


def test_flat_aggregate_takes_a_table_aggregate(api: OperationBuilder, rows: QueryOperation) -> None:
    with pytest.raises(ValidationException, match="Expected a call of a table aggregate function"):
        table_aggregate_rows(api, rows, [Reference(("name",))], Call(("SUM",), (AGE,)))


def test_flat_aggregate_joins_the_groups_with_the_rows_of_the_function(api: OperationBuilder, rows: QueryOperation) -> None:
    top = udtaf(Top(), result_type="ROW<v BIGINT, r BIGINT>", name="top")
    result = table_aggregate_rows(api, rows, [Reference(("name",))], Alias(call(top), "v", ("rank",)))
    assert names(result) == ("name", "v", "rank")
    assert result.resolved_schema.column_types[1:] == (BigIntType(), BigIntType())
