"""Functions of engines as functions of Spark."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from table_common.exceptions import TableException
from table_common.functions import EngineFunction
from table_common.functions.builtin import strings
from table_planner_spark.expressions.engine_functions import EngineFunctions, SparkFunction


@pytest.fixture
def functions() -> EngineFunctions:
    return EngineFunctions(nullcontext, str)


def test_a_function_of_spark_is_called_by_its_quoted_name(functions: EngineFunctions) -> None:
    function = functions.resolve(EngineFunction("SOUNDEX", system="spark", implementation="soundex"))
    assert isinstance(function, SparkFunction)
    assert function.sql_name == "`soundex`"


def test_a_function_of_hive_has_its_own_name(functions: EngineFunctions) -> None:
    function = functions.resolve(EngineFunction("LENGTH", system="hive", implementation="some.Class"))
    assert isinstance(function, SparkFunction)
    assert (function.sql_name, function.hive_class) == ("__hive_length", "some.Class")


def test_a_function_without_implementation_is_the_equivalent_built_in_function(functions: EngineFunctions) -> None:
    assert functions.resolve(EngineFunction("UCASE", system="hive", equivalent=strings.UPPER)) is strings.UPPER


def test_a_function_is_defined_once(functions: EngineFunctions) -> None:
    function = EngineFunction("SOUNDEX", system="spark", implementation="soundex")
    assert functions.resolve(function) is functions.resolve(function)


def test_a_function_that_spark_cannot_run_is_refused_with_its_remark(functions: EngineFunctions) -> None:
    with pytest.raises(TableException, match="cannot run the function F of hive: it is gone"):
        functions.resolve(EngineFunction("F", system="hive", remark="it is gone"))
