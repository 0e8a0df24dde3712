"""Functions with a declared result type on both engines: annotations do not change what they receive, as in PyFlink."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from table_api import DataTypes, Row, TableEnvironment
from table_api.udf import AggregateFunction, ScalarFunction, udaf, udf, udtf

if TYPE_CHECKING:
    from nowhere import Missing  # type: ignore[import-not-found]  # what only type checkers see

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


TEXTS = "(VALUES (1, 'a'), (2, CAST(NULL AS STRING))) AS t(n, text)"


def test_a_scalar_function_receives_none_for_null(planner: str, make_env: MakeEnv) -> None:
    @udf(result_type="STRING")
    def named(text: str) -> str:
        return "none" if text is None else text

    env = make_env(planner)
    env.create_temporary_function("named", named)
    assert sorted(rows(env, f"SELECT n, named(text) FROM {TEXTS}")) == [(1, "a"), (2, "none")]


def test_a_table_function_keeps_the_row_of_a_null(planner: str, make_env: MakeEnv) -> None:
    @udtf(result_types=["STRING", "INT"])
    def described(text: str) -> Row:
        return Row("none" if text is None else text, 1)

    env = make_env(planner)
    env.create_temporary_function("described", described)
    sql = f"SELECT n, word FROM {TEXTS}, LATERAL TABLE(described(text)) AS w(word, size)"
    assert sorted(rows(env, sql)) == [(1, "a"), (2, "none")]


class Calls(AggregateFunction):
    def create_accumulator(self) -> Row:
        return Row(0)

    def accumulate(self, accumulator: Row, value: str) -> None:
        accumulator[0] += 1

    def get_value(self, accumulator: Row) -> int:
        return accumulator[0]


class CallsOfPyFlink(Calls):
    def get_result_type(self) -> Any:
        return DataTypes.BIGINT()

    def get_accumulator_type(self) -> Any:
        return DataTypes.ROW([DataTypes.FIELD("calls", DataTypes.BIGINT())])


@pytest.mark.parametrize(
    "function", [udaf(Calls(), result_type="BIGINT", accumulator_type="ROW<calls BIGINT>"), CallsOfPyFlink()], ids=["udaf", "methods"]
)
def test_an_aggregate_accumulates_null(planner: str, make_env: MakeEnv, function: Any) -> None:
    env = make_env(planner)
    env.create_temporary_function("calls", function)
    assert rows(env, f"SELECT calls(text) FROM {TEXTS}") == [(2,)]


def test_a_class_without_declared_types_skips_null(planner: str, make_env: MakeEnv) -> None:
    class Named(ScalarFunction):
        def eval(self, text: str) -> str:
            return text

    env = make_env(planner)
    env.create_temporary_function("named", udf(Named()))
    assert sorted(rows(env, f"SELECT n, named(text) FROM {TEXTS}")) == [(1, "a"), (2, None)]


@pytest.mark.parametrize(
    "annotations",
    [
        {"v": int, "return": int},
        {"v": "Missing", "return": "Missing"},
        {"v": Row, "return": Row},
        {"v": Callable[[int], int], "return": None},
    ],
    ids=["another class", "unknown names", "rows", "no SQL type"],
)
def test_annotations_do_not_refuse_a_call(planner: str, make_env: MakeEnv, annotations: dict[str, Any]) -> None:
    def text_of(v):  # type: ignore[no-untyped-def]  # annotated below
        return repr(v)

    text_of.__annotations__ = annotations
    env = make_env(planner)
    env.create_temporary_function("text_of", udf(text_of, result_type="STRING"))
    assert rows(env, "SELECT text_of(CAST(1.5 AS DOUBLE)), text_of('x')") == [("1.5", "'x'")]


def test_names_that_only_type_checkers_import_are_not_looked_up(planner: str, make_env: MakeEnv) -> None:
    @udf(result_type="DOUBLE", input_types=["DOUBLE"])
    def half(v: Missing) -> Missing:
        return None if v is None else v / 2

    env = make_env(planner)
    env.create_temporary_function("half", half)
    assert rows(env, "SELECT half(3), half(CAST(NULL AS DOUBLE))") == [(1.5, None)]
