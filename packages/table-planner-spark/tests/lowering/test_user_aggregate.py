"""User aggregates with ``merge``: accumulators per group in the workers, which Spark then merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from table_api.operations import AggregateQueryOperation, QueryOperation
from table_api.udf import AggregateFunction, udaf
from table_common.functions import UserDefinedFunction, as_user_function
from table_common.tree import preorder
from table_common.types import BigIntType, BooleanType, RowType, VarBinaryType
from table_planner_spark.expressions.user_functions.worker import call_merge
from table_planner_spark.lowering import user_aggregate
from table_planner_spark.lowering.user_aggregate import _Call, _States, has_states

INPUT = RowType.of([("k", BigIntType()), ("v", BigIntType()), ("f", BooleanType())])
OUTPUT = RowType.of([("k", BigIntType()), ("s", VarBinaryType())])


class Total(AggregateFunction[int, list[int]]):
    """The sum of the non-NULL values, and the number of rows; -1 for none."""

    def create_accumulator(self) -> list[int]:
        return [0, 0]

    def accumulate(self, accumulator: list[int], *values: int | None) -> None:
        accumulator[0] += (values[0] if values else 0) or 0
        accumulator[1] += 1

    def get_value(self, accumulator: list[int]) -> int:
        return 1000 * accumulator[1] + accumulator[0]


class Mergeable(Total):
    def merge(self, accumulator: list[int], accumulators: list[list[int]]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]


cloudpickle.register_pickle_by_value(__import__("sys").modules[__name__])


def payload(function: UserDefinedFunction, *types: Any) -> bytes:
    content: bytes = cloudpickle.dumps((as_user_function(function), types, BigIntType(), None))  # type: ignore[no-untyped-call]
    return content


SUM = payload(Mergeable(), BigIntType())


def batch(rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    schema = pa.schema([("k", pa.int64()), ("v", pa.int64()), ("f", pa.bool_())])
    return pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], field.type) for i, field in enumerate(schema)], schema=schema)


def accumulated(batches: Sequence[pa.RecordBatch], call: _Call, function: bytes = SUM) -> list[tuple[Any, Any]]:
    """The key and the result of each accumulator."""
    states = list(_States(INPUT, OUTPUT, (0,), (call,))(batches))
    found = []
    for part in states:
        results = call_merge(function, pa.array([[state] for state in part.column(1).to_pylist()], pa.list_(pa.binary())))
        found += zip(part.column(0).to_pylist(), results.to_pylist(), strict=True)
    return sorted(found, key=str)


VALUE = _Call(SUM, (1,), None)
FILTERED = _Call(SUM, (1,), 2)


def test_a_group_has_one_accumulator_for_all_batches() -> None:
    batches = [batch([(1, 10, True), (2, 20, True)]), batch([(1, 5, True)])]
    assert accumulated(batches, VALUE) == [(1, 2015), (2, 1020)]


def test_null_is_a_group_and_a_value() -> None:
    assert accumulated([batch([(None, 1, True), (None, None, True)])], VALUE) == [(None, 2001)]


def test_a_filter_of_null_or_false_drops_a_row() -> None:
    assert accumulated([batch([(1, 10, True), (1, 20, False), (1, 40, None)])], FILTERED) == [(1, 1010)]


def test_a_group_whose_rows_are_all_filtered_has_an_empty_accumulator() -> None:
    assert accumulated([batch([(1, 10, False)])], FILTERED) == [(1, 0)]


def test_a_slice_is_accumulated_without_its_neighbors() -> None:
    assert accumulated([batch([(1, 10, True), (1, 20, True), (1, 40, True)]).slice(1, 1)], VALUE) == [(1, 1020)]


def test_an_aggregate_without_arguments_counts_rows() -> None:
    function = payload(Mergeable())
    assert accumulated([batch([(1, 10, True), (1, None, True)])], _Call(function, (), None), function) == [(1, 2000)]


def test_no_batches_have_no_accumulators() -> None:
    assert accumulated([], VALUE) == []


def test_a_long_task_has_several_accumulators_of_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_aggregate, "RUN_ROWS", 2)
    assert accumulated([batch([(1, value, True)]) for value in (1, 2, 4)], VALUE) == [(1, 1004), (1, 2003)]


@pytest.fixture
def functions(env: Any) -> Any:
    env.create_temporary_system_function("mergeable", udaf(Mergeable(), result_type="BIGINT"))
    env.create_temporary_system_function("plain", udaf(Total(), result_type="BIGINT"))
    return env


T = "(VALUES (1, CAST(10 AS BIGINT)), (1, 20), (2, NULL), (CAST(NULL AS INT), 5)) AS t(k, v)"


def aggregate(env: Any, select: str) -> AggregateQueryOperation:
    plan = env.sql_query(f"SELECT {select} FROM {T} GROUP BY k").query_operation
    (node,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, AggregateQueryOperation))
    return node


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("mergeable(v)", True),
        ("mergeable(v), mergeable(v + 1) FILTER (WHERE k > 1)", True),
        ("plain(v)", False),
        ("mergeable(v), SUM(v)", False),
        ("mergeable(DISTINCT v)", False),
        ("k", False),
    ],
)
def test_two_phases_need_user_aggregates_with_merge_only(functions: Any, select: str, expected: bool) -> None:
    assert has_states(aggregate(functions, select)) is expected


@pytest.mark.parametrize("name", ["mergeable", "plain"])
def test_two_phases_return_the_rows_of_one(functions: Any, run: Any, name: str) -> None:
    rows = run.rows(f"SELECT k, {name}(v), {name}(v) FILTER (WHERE v > 10) FROM {T} GROUP BY k")
    assert sorted(rows, key=str) == [(1, 2030, 1020), (2, 1000, 0), (None, 1005, 0)]


@pytest.mark.parametrize("name", ["mergeable", "plain"])
def test_an_aggregate_of_no_rows_is_that_of_an_empty_accumulator(functions: Any, run: Any, name: str) -> None:
    assert run.rows(f"SELECT {name}(v) FROM {T} WHERE k > 9") == [(0,)]


def test_groups_of_no_rows_do_not_exist(functions: Any, run: Any) -> None:
    assert run.rows(f"SELECT k, mergeable(v) FROM {T} WHERE k > 9 GROUP BY k") == []


def test_an_aggregate_without_arguments_and_keys_counts_the_rows(functions: Any, run: Any) -> None:
    assert run.rows(f"SELECT mergeable() FROM {T}") == [(4000,)]
