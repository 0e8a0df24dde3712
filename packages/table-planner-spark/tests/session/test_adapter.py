"""What the access to a session offers, whichever it is."""

from __future__ import annotations

from pyspark.sql import SparkSession

from table_planner_spark.session.adapters import adapter_of


def test_a_session_of_this_process_has_a_jvm(spark: SparkSession) -> None:
    access = adapter_of(spark)
    assert access is adapter_of(spark.newSession())
    assert (access.has_jvm, access.analyzes_late) == (True, False)
    assert access.session_id(spark) != access.session_id(spark.newSession())
