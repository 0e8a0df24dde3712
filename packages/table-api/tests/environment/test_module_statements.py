"""Every statement of FLIP-68, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import pytest
from typing_extensions import override

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import SqlParserException, ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import lookup_built_in
from table_common.module import Module
from table_common.types import DataType, DataTypes


class Greedy(Module):
    """Wants to be everything: operators, CAST and AS too."""

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {"cast", "try_cast", "as", "plus", "+", "and", "in", "upper"}

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return lookup_built_in("ABS")

    @override
    def list_types(self) -> AbstractSet[str]:
        return {"int", "geo_point"}

    @override
    def get_type(self, name: str) -> DataType | None:
        return DataTypes.of("ROW<lat DOUBLE, lon DOUBLE>")


@pytest.fixture
def env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


def _rows(env: TableEnvironment, statement: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in env.execute_sql(statement).collect()]


def test_load_module_takes_an_identifier(env: TableEnvironment) -> None:
    env.execute_sql("UNLOAD MODULE core")
    env.execute_sql("LOAD MODULE core")
    assert env.list_modules() == ["core"]


def test_load_module_takes_a_string_and_a_type(env: TableEnvironment) -> None:
    env.execute_sql("LOAD MODULE 'again' WITH ('type' = 'core')")
    assert env.list_modules() == ["core", "again"]


def test_unload_module_takes_an_identifier_or_a_string(env: TableEnvironment) -> None:
    env.load_module("a", Greedy())
    env.load_module("b", Greedy())
    env.execute_sql("UNLOAD MODULE 'a'")
    env.execute_sql("UNLOAD MODULE `b`")
    assert env.list_modules() == ["core"]


def test_load_module_without_a_name_says_what_is_expected(env: TableEnvironment) -> None:
    with pytest.raises(SqlParserException):
        env.execute_sql("LOAD MODULE WITH ('type' = 'core')")


def test_show_modules_lists_those_used_in_order(env: TableEnvironment) -> None:
    env.load_module("b", Greedy())
    env.use_modules("b", "core")
    assert _rows(env, "SHOW MODULES") == [("b",), ("core",)]


def test_show_full_modules_lists_the_others_after_them(env: TableEnvironment) -> None:
    env.load_module("b", Greedy())
    env.execute_sql("USE MODULES b")
    assert _rows(env, "SHOW FULL MODULES") == [("b", True), ("core", False)]


def test_use_modules_refuses_a_name_twice(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="occurs twice"):
        env.execute_sql("USE MODULES core, core")


def test_show_functions_lists_those_of_used_modules(env: TableEnvironment) -> None:
    env.load_module("b", Greedy())
    env.use_modules("b")
    assert ("upper",) in _rows(env, "SHOW FUNCTIONS")
    assert ("lower",) not in _rows(env, "SHOW FUNCTIONS")


def test_show_functions_like_is_a_pattern(env: TableEnvironment) -> None:
    assert _rows(env, "SHOW FUNCTIONS LIKE 'upp__'") == [("upper",)]


def test_show_user_functions_leaves_modules_out(env: TableEnvironment) -> None:
    env.create_temporary_function("f", lookup_built_in("ABS"))
    assert _rows(env, "SHOW USER FUNCTIONS") == [("f",)]


def test_describe_function_says_where_it_is(env: TableEnvironment) -> None:
    assert _rows(env, "DESCRIBE FUNCTION ifnull") == [("is system function", "true"), ("is temporary", "false")]


def test_describe_function_extended_has_the_rows_of_flink(env: TableEnvironment) -> None:
    assert _rows(env, "DESCRIBE FUNCTION EXTENDED IFNULL") == [
        ("is system function", "true"),
        ("is temporary", "false"),
        ("kind", "SCALAR"),
        ("requirements", "[]"),
        ("is deterministic", "true"),
        ("supports constant folding", "true"),
        ("signature", "IFNULL(input <COMMON>, null_replacement <COMMON>)"),
    ]


def test_describe_function_extended_says_what_needs_a_window(env: TableEnvironment) -> None:
    assert ("requirements", "[OVER_WINDOW_ONLY]") in _rows(env, "DESCRIBE FUNCTION EXTENDED `LAG`")


def test_describe_function_that_is_unknown_says_so(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Function 'uper' does not exist"):
        env.execute_sql("DESCRIBE FUNCTION uper")


def test_cast_and_as_and_operators_are_never_overridden(env: TableEnvironment) -> None:
    env.load_module("greedy", Greedy())
    query = "SELECT CAST('1' AS INT) AS a, TRY_CAST('x' AS INT) AS b, 1 + 1 AS c, TRUE AND 1 IN (1) AS d"
    env.use_modules("core", "greedy")
    expected = env.session.convert_query(query)
    env.use_modules("greedy")
    assert env.session.convert_query(query) == expected


def test_named_type_of_a_module_is_a_type_of_columns(env: TableEnvironment) -> None:
    env.load_module("greedy", Greedy())
    env.execute_sql("CREATE TABLE t (p geo_point NOT NULL, q ARRAY<GEO_POINT>, `int` INT) WITH ('connector' = 'x')")
    types = [row[1] for row in _rows(env, "DESCRIBE t")]
    assert types == ["ROW<`lat` DOUBLE, `lon` DOUBLE>", "ARRAY<ROW<`lat` DOUBLE, `lon` DOUBLE>>", "INT"]


def test_named_type_of_a_module_is_a_type_of_casts(env: TableEnvironment) -> None:
    env.load_module("greedy", Greedy())
    table = env.sql_query("SELECT CAST(NULL AS GEO_POINT) AS p")
    assert str(table.get_resolved_schema().columns[0].data_type) == "ROW<`lat` DOUBLE, `lon` DOUBLE>"


def test_named_type_is_gone_with_its_module(env: TableEnvironment) -> None:
    env.load_module("greedy", Greedy())
    env.unload_module("greedy")
    with pytest.raises(ValidationException, match="There is no type 'GEO_POINT'"):
        env.sql_query("SELECT CAST(NULL AS GEO_POINT) AS p")
