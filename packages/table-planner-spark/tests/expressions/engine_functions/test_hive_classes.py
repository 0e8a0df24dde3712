"""Hive's function classes in a Spark session without a metastore."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.expressions.engine_functions.hive_classes import HIVE_PREFIX, register_hive_class

SPACE = "org.apache.hadoop.hive.ql.udf.UDFSpace"
REVERSE = "org.apache.hadoop.hive.ql.udf.UDFReverse"


@pytest.fixture
def name(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    """A name of the test's own, because a session keeps its functions."""
    return f"{HIVE_PREFIX}{request.node.name.partition('[')[0]}"


def value(spark: SparkSession, text: str) -> object:
    return spark.sql(f"SELECT {text}").collect()[0][0]


def test_a_registered_class_is_a_function_of_the_session(spark: SparkSession, name: str) -> None:
    register_hive_class(spark, name, SPACE)
    assert value(spark, f"{name}(3)") == "   "


def test_a_function_of_hive_returns_null_for_null(spark: SparkSession, name: str) -> None:
    register_hive_class(spark, name, REVERSE)
    assert value(spark, f"{name}(CAST(NULL AS STRING))") is None


def test_a_name_is_registered_once(spark: SparkSession, name: str) -> None:
    register_hive_class(spark, name, SPACE)
    register_hive_class(spark, name, REVERSE)
    assert value(spark, f"{name}(2)") == "  "


def test_a_new_session_registers_the_class_for_itself(spark: SparkSession, name: str) -> None:
    register_hive_class(spark, name, SPACE)
    other = spark.newSession()
    register_hive_class(other, name, REVERSE)
    assert (value(spark, f"{name}(1)"), value(other, f"{name}('ab')")) == (" ", "ba")


def test_a_class_that_does_not_exist_is_an_error_with_its_name(spark: SparkSession, name: str) -> None:
    with pytest.raises(TableException, match=r"cannot load Hive's class org\.example\.Missing") as caught:
        register_hive_class(spark, name, "org.example.Missing")
    assert "hive-exec and spark-hive" in str(caught.value)


def test_a_class_that_failed_to_register_can_be_registered_later(spark: SparkSession, name: str) -> None:
    with pytest.raises(TableException):
        register_hive_class(spark, name, "org.example.Missing")
    register_hive_class(spark, name, SPACE)
    assert value(spark, f"{name}(1)") == " "
