"""Calls of process table functions: arguments in SQL, what traits demand, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import ProcessTableFunctionQueryOperation, QueryOperation
from table_api.resolution.process_table_function import require_process_function
from table_api.udf import ArgumentHint, ArgumentTrait, ProcessTableFunction, function_hint, udf
from table_common.data import Row
from table_common.exceptions import TableException, ValidationException
from table_common.tree import preorder

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
ROWS = ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)


class Sets(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, SET], limit: int, note: str | None = None) -> Any: ...


class Alone(ProcessTableFunction[Row]):
    @function_hint(output="ROW<a INT, name STRING>")
    def eval(self, r: Annotated[Row, ROWS]) -> Any: ...


class Through(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.PASS_COLUMNS_THROUGH)]) -> Any: ...


class Whole(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.OPTIONAL_PARTITION_BY)]) -> Any: ...


class Timed(ProcessTableFunction[str]):
    def eval(self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.REQUIRE_ON_TIME)]) -> Any: ...


class Pairs(ProcessTableFunction[str]):
    def eval(self, one: Annotated[Row, SET], other: Annotated[Row, SET]) -> Any: ...


@dataclass
class Person:
    who: str
    points: int


class Typed(ProcessTableFunction[str]):
    def eval(self, person: Annotated[Person, ROWS]) -> Any: ...


class Scalars(ProcessTableFunction[str]):
    def eval(self, names: list[str], n: int = 3) -> Any: ...


class Unwritten(ProcessTableFunction[str]):
    def eval(self, n: int = object()) -> Any: ...  # type: ignore[assignment]  # what the test is about


FUNCTIONS = (Sets, Alone, Through, Whole, Timed, Pairs, Typed, Scalars, Unwritten)


@pytest.fixture(scope="module")
def env() -> Any:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for function in FUNCTIONS:
        made.create_temporary_system_function(function.__name__.lower(), function())
    columns = "name STRING, score INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    made.execute_sql(f"CREATE TEMPORARY TABLE t ({columns}) WITH ('connector' = 'datagen')")
    made.execute_sql(f"CREATE TEMPORARY TABLE u ({columns}) WITH ('connector' = 'datagen')")
    yield made
    made.close()


@pytest.fixture
def call(env: Any) -> Any:
    def run(text: str) -> Any:
        operation = env.sql_query(f"SELECT * FROM {text}").query_operation
        return next(node for node in preorder(operation, QueryOperation) if isinstance(node, ProcessTableFunctionQueryOperation))

    return run


@pytest.mark.parametrize(
    "text",
    [
        "sets(r => TABLE t PARTITION BY name, `limit` => 3)",
        "sets(TABLE t PARTITION BY name, 3)",
        "TABLE(sets(TABLE t PARTITION BY (name), 3))",
        "sets(`limit` => 3, r => (SELECT * FROM t) PARTITION BY name)",
        "sets(R => TABLE t PARTITION BY name, `LIMIT` => 3, note => DEFAULT)",
    ],
)
def test_arguments_are_given_by_position_or_name(call: Any, text: str) -> None:
    node = call(text)
    assert [str(argument) for argument in node.arguments] == ["r PARTITION BY name"]
    assert [str(scalar) for scalar in node.scalars] == ["3", "NULL"]
    assert node.resolved_schema.column_names == ("name", "EXPR$0")


def test_columns_are_those_of_the_partition_the_function_and_the_time(call: Any) -> None:
    assert call("through(TABLE t PARTITION BY name)").resolved_schema.column_names == ("name", "score", "ts", "EXPR$0")
    assert call("alone(TABLE t)").resolved_schema.column_names == ("a", "name")
    timed = call("pairs(`one` => TABLE t PARTITION BY name, other => TABLE u PARTITION BY name, on_time => DESCRIPTOR(ts))")
    assert timed.resolved_schema.column_names == ("name", "name0", "EXPR$0", "rowtime")


def test_scalars_may_be_left_out_and_columns_named(call: Any) -> None:
    node = call("scalars(DESCRIPTOR(a, b))")
    assert [str(scalar) for scalar in node.scalars] == [
        "CAST(ARRAY[CAST('a' AS STRING), CAST('b' AS STRING)] AS ARRAY<STRING> NOT NULL)",
        "3",
    ]
    assert node.arguments[0].name is None


def test_a_call_is_printed_as_sql_that_gives_it_again(env: Any, call: Any) -> None:
    text = "sets(r => TABLE t PARTITION BY name ORDER BY (ts, score DESC), `limit` => 3, on_time => DESCRIPTOR(ts), uid => 'x-1')"
    node = call(text)
    assert node.uid == "x-1"
    env.create_temporary_view("v", env.sql_query(f"SELECT * FROM {text}"))
    (row,) = env.execute_sql("SHOW CREATE VIEW v").collect()
    for part in ("PARTITION BY (`name`) ORDER BY (`ts`, `score` DESC)", "`limit` => ", "on_time => DESCRIPTOR(`ts`)", "uid => 'x-1'"):
        assert part in row[0]
    env.drop_temporary_view("v")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sets(TABLE t, 3)", "The table 'r' of sets has set semantics, so it needs PARTITION BY.*OPTIONAL_PARTITION_BY"),
        ("alone(TABLE t PARTITION BY name)", "The table 'r' of alone has row semantics, so it takes no PARTITION BY"),
        ("alone((SELECT * FROM t) ORDER BY ts)", "takes no ORDER BY"),
        ("sets(r => TABLE t PARTITION BY name)", r"sets lacks the argument 'limit'.*sets\(r => TABLE t PARTITION BY k"),
        ("sets(r => TABLE t PARTITION BY name, x => 3)", "Argument 'x'"),
        ("sets(r => TABLE t PARTITION BY name, 3)", "must be either all named or all positional"),
        ("sets(r => TABLE t PARTITION BY name, r => TABLE t PARTITION BY name, `limit` => 3)", "got the argument 'r' twice"),
        ("alone(TABLE t, DEFAULT, DEFAULT, 4)", "alone has at most 3 arguments, but got 4"),
        ("sets(r => 5, `limit` => 3)", "The argument 'r' of sets must be a table"),
        ("sets(r => TABLE t PARTITION BY name, `limit` => TABLE u)", "The argument 'limit' of sets is a scalar, but got a table"),
        ("sets(TABLE t PARTITION BY name, 'x')", "The argument 'limit' of sets is BIGINT, but got"),
        ("sets(TABLE t PARTITION BY name, NULL)", "The argument 'limit' of sets is NULL, but it is declared without None"),
        ("sets(TABLE t PARTITION BY UPPER(name), 3)", "PARTITION BY accepts columns of the table only"),
        ("whole(TABLE t PARTITION BY nope)", "nope"),
        ("timed(TABLE t PARTITION BY name)", "The table 'r' of timed requires a time.*DESCRIPTOR"),
        ("whole(r => TABLE t, on_time => 5)", r"The argument 'on_time' of whole must name a column.*DESCRIPTOR\(ts\)"),
        ("whole(r => TABLE t, on_time => DESCRIPTOR(nope))", "names nope, of which the table 'r' has none"),
        ("whole(r => TABLE t, on_time => DESCRIPTOR(score))", "names the column 'score' of 'r', which is INT"),
        (
            "whole(r => (SELECT name, CAST(ts AS TIMESTAMP(3)) AS x FROM t), on_time => DESCRIPTOR(x))",
            "needs a time attribute in streaming mode, but the column 'x' is none",
        ),
        ("whole(TABLE t ORDER BY score)", "ORDER BY of the table 'r' of whole needs a time attribute"),
        ("whole(TABLE t ORDER BY ts DESC)", "begins with a descending column"),
        (
            "pairs(TABLE t PARTITION BY name, TABLE u PARTITION BY score)",
            "must be partitioned alike, but 'one' is partitioned by name STRING and 'other' by score INT",
        ),
        ("pairs(TABLE t PARTITION BY name, TABLE u PARTITION BY (name, score))", "must be partitioned alike"),
        ("typed(TABLE t)", "have the fields who, points, but the table has 3 columns"),
        ("typed((SELECT score, name FROM t))", "The column 'score' of the table 'person' of typed is INT, but the field 'who' is STRING"),
        ("scalars(names => DESCRIPTOR(a), on_time => DESCRIPTOR(ts))", "scalars got on_time, but no table"),
        ("whole(r => TABLE t, uid => 'a b')", "The argument 'uid' of whole must be a constant text"),
        ("unwritten()", "The argument 'n' of unwritten cannot be left out: its default is no constant"),
    ],
)
def test_what_is_wrong_is_named(call: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationException, match=f"(?s){message}") as raised:
        call(text)
    assert raised.value.position is not None


def test_it_is_no_function_of_values(env: Any) -> None:
    with pytest.raises(ValidationException, match=r"(?s)alone is a process table function, so it can only be used in FROM"):
        env.sql_query("SELECT alone(name) FROM t")


def test_other_functions_are_no_process_table_functions() -> None:
    with pytest.raises(TableException, match="f is not a process table function"):
        require_process_function(udf(lambda x: x, result_type="INT").definition, "f")
