"""Process table functions in the Table API give the plans of SQL."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.expressions import col, descriptor, lit
from table_api.operations import ProcessTableFunctionQueryOperation, QueryOperation
from table_api.udf import ArgumentHint, ArgumentTrait, ProcessTableFunction, udf
from table_common.data import Row
from table_common.exceptions import TableException, ValidationException
from table_common.tree import preorder

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)


class Sets(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, SET], n: int = 1) -> Any: ...


class Alone(ProcessTableFunction[str]):
    def eval(self, n: int, r: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)]) -> Any: ...


class Pairs(ProcessTableFunction[str]):
    def eval(self, left: Annotated[Row, SET], right: Annotated[Row, SET]) -> Any: ...


class Numbers(ProcessTableFunction[int]):
    def eval(self, n: int) -> Any: ...


@pytest.fixture(scope="module")
def env() -> Any:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for function in (Sets, Alone, Pairs, Numbers):
        made.create_temporary_system_function(function.__name__.lower(), function())
    for name in "tu":
        columns = "name STRING, score INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
        made.execute_sql(f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'datagen')")
    yield made
    made.close()


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda env: env.from_path("t").partition_by(col("name")).process("sets", 3), "sets(TABLE t PARTITION BY name, 3)"),
        (
            lambda env: env.from_path("t").partition_by(col("name")).process("sets", lit(3).as_argument("n")),
            "sets(r => TABLE t PARTITION BY name, n => 3)",
        ),
        (
            lambda env: (
                env.from_path("t")
                .partition_by(col("name"))
                .order_by(col("ts"), col("score").desc)
                .process("sets", descriptor("ts").as_argument("on_time"), lit("x").as_argument("uid"))
            ),
            "sets(r => TABLE t PARTITION BY name ORDER BY (ts, score DESC), on_time => DESCRIPTOR(ts), uid => 'x')",
        ),
        (lambda env: env.from_path("t").process("alone", 2), "alone(2, TABLE t)"),
        (
            lambda env: env.from_call(
                "pairs",
                env.from_path("u").partition_by(col("name")).as_argument("right"),
                env.from_path("t").partition_by(col("name")).as_argument("left"),
            ),
            "pairs(`left` => TABLE t PARTITION BY name, `right` => TABLE u PARTITION BY name)",
        ),
        (
            lambda env: env.from_path("t").partition_by(col("name")).process("pairs", env.from_path("u").partition_by(col("name"))),
            "pairs(TABLE t PARTITION BY name, TABLE u PARTITION BY name)",
        ),
        (lambda env: env.from_call("numbers", 5), "numbers(5)"),
        (lambda env: env.from_call("alone", 2, env.from_path("t")), "alone(2, TABLE t)"),
        (lambda env: env.from_path("t").process("alone", lit(2).as_argument("n")), "alone(n => 2, r => TABLE t)"),
    ],
)
def test_a_call_is_that_of_sql(env: Any, made: Any, text: str) -> None:
    given, wanted = call_of(made(env)), call_of(env.sql_query(f"SELECT * FROM {text}"))
    assert given.resolved_schema == wanted.resolved_schema
    assert (given.function, given.arguments, given.scalars, given.uid) == (wanted.function, wanted.arguments, wanted.scalars, wanted.uid)


def call_of(table: Any) -> ProcessTableFunctionQueryOperation:
    return next(node for node in preorder(table.query_operation, QueryOperation) if isinstance(node, ProcessTableFunctionQueryOperation))


def test_functions_need_no_name(env: Any) -> None:
    table = env.from_path("t").partition_by(col("name"))
    for function in (Sets, Sets()):
        assert table.process(function).get_resolved_schema().column_names == ("name", "EXPR$0")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda env, t: t.partition_by(), "partition_by takes at least one column"),
        (lambda env, t: t.partition_by(col("score") + 1), "partition_by accepts columns of the table only"),
        (lambda env, t: t.partition_by(col("name")).order_by(col("score") + 1), "order_by accepts columns of the table only"),
        (lambda env, t: t.process("numbers"), "numbers takes no table.*from_call calls it"),
        (lambda env, t: t.process("sets"), "The table 'r' of sets has set semantics, so it needs PARTITION BY"),
        (lambda env, t: env.from_call("sets", 5), "The argument 'r' of sets must be a table"),
        (lambda env, t: env.from_call("numbers", t), "The argument 'n' of numbers is a scalar, but got a table"),
        (lambda env, t: t.process("nope"), "nope"),
    ],
)
def test_what_is_wrong_is_named(env: Any, made: Any, message: str) -> None:
    with pytest.raises(ValidationException, match=f"(?s){message}"):
        made(env, env.from_path("t"))


def test_other_functions_and_environments_are_refused(env: Any) -> None:
    with pytest.raises(TableException, match="is not a process table function"):
        env.from_path("t").process(udf(lambda x: x, result_type="INT"))
    other = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table = other.from_values((1, 2))
    with pytest.raises(ValidationException, match="All tables must belong to the same table environment"):
        env.from_call("pairs", table, table)
    other.close()
    assert repr(env.from_path("t").as_argument("r")) == "TableArgumentValue(r)"
