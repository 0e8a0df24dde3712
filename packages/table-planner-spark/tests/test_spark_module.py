"""The functions of a Spark session as a module."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import ValidationException
from table_common.functions import EngineFunction, FunctionKind
from table_common.module import ModuleFactory
from table_planner_spark.expressions.engine_functions.hive_classes import HIVE_PREFIX
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.spark_module import SparkModule, SparkModuleFactory


@pytest.fixture
def module(spark: SparkSession) -> SparkModule:
    return SparkModule(spark)


def definition(module: SparkModule, name: str) -> EngineFunction:
    found = module.get_function_definition(name)
    assert isinstance(found, EngineFunction)
    return found


@pytest.mark.parametrize(
    ("name", "kind"), [("soundex", FunctionKind.SCALAR), ("max_by", FunctionKind.AGGREGATE), ("posexplode", FunctionKind.TABLE)]
)
def test_a_function_has_its_kind(module: SparkModule, name: str, kind: FunctionKind) -> None:
    assert definition(module, name).kind is kind


def test_a_name_is_found_in_any_case(module: SparkModule) -> None:
    assert definition(module, "SoundEx").name == "SOUNDEX"


def test_a_function_is_one_object(module: SparkModule) -> None:
    assert definition(module, "soundex") is definition(module, "SOUNDEX")


@pytest.mark.parametrize(("name", "expected"), [("soundex", True), ("uuid", False), ("rand", False)])
def test_functions_that_differ_with_each_call_are_not_deterministic(module: SparkModule, name: str, expected: bool) -> None:
    assert definition(module, name).is_deterministic is expected


def test_a_function_with_a_lambda_has_a_remark_and_no_implementation(module: SparkModule) -> None:
    function = definition(module, "transform")
    assert (function.implementation, "lambda" in (function.remark or "")) == ("", True)


@pytest.mark.parametrize("name", ["no_such_function", "count", "ROW_NUMBER", "grouping", "+", "", f"{WORKER_PREFIX}x", f"{HIVE_PREFIX}x"])
def test_a_name_that_sql_cannot_call_is_no_function(module: SparkModule, name: str) -> None:
    assert module.get_function_definition(name) is None


def test_a_function_that_is_registered_later_is_found(module: SparkModule, spark: SparkSession) -> None:
    assert module.get_function_definition("registered_later") is None
    spark.udf.register("registered_later", lambda value: value, "int")
    assert "registered_later" in module.list_functions()
    assert definition(module, "registered_later").implementation == "registered_later"


def test_names_are_sorted_and_in_lower_case(module: SparkModule) -> None:
    names = list(module.list_functions())
    assert names == sorted({name.lower() for name in names})


def test_operators_and_functions_of_clauses_are_not_listed(module: SparkModule) -> None:
    names = set(module.list_functions())
    assert {"soundex", "upper"} <= names
    assert not names & {"+", "count", "rank", "grouping"}


def test_the_number_of_names_is_that_of_the_list(module: SparkModule) -> None:
    names = module.list_functions()
    assert len(names) == len(list(names))


def test_something_that_is_no_text_is_no_name(module: SparkModule) -> None:
    assert cast("Any", 7) not in module.list_functions()


def test_a_session_may_be_made_when_it_is_needed(spark: SparkSession) -> None:
    made: list[SparkSession] = []

    def make() -> SparkSession:
        made.append(spark)
        return spark

    module = SparkModule(make)
    assert made == []
    assert module.spark is spark


def test_without_a_session_the_active_one_is_used(spark: SparkSession) -> None:
    other = spark.newSession()
    for session in (other, spark):
        session.createDataFrame([(1,)], "a INT")  # makes it the active one
        assert SparkModule().spark is session


def test_without_any_session_there_are_no_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    with pytest.raises(ValidationException, match="The module 'spark' has no Spark session"):
        SparkModule().get_function_definition("soundex")


def test_the_factory_makes_the_module_of_the_planners_session(env: Any, spark: SparkSession) -> None:
    env.execute_sql("LOAD MODULE spark")
    assert "soundex" in env.list_functions()


def test_the_factory_refuses_options() -> None:
    with pytest.raises(ValidationException, match="module 'spark'"):
        SparkModuleFactory().create_module(ModuleFactory.Context({"x": "1"}))


def test_the_factory_refuses_another_planner() -> None:
    class Other:
        name = "arrow"

    with pytest.raises(ValidationException, match="this session's planner is 'arrow'"):
        SparkModuleFactory().create_module(ModuleFactory.Context(planner=Other))
