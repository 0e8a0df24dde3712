"""What the planner does to a session that is not its own."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def test_the_options_of_a_users_session_are_put_back(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    assert [spark.conf.get(key) for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")] == ["false", "Asia/Tokyo"]


def test_the_options_of_a_users_session_have_no_influence(run: Any) -> None:
    assert run.value("CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING)") == "1970-01-01 00:00:00.000"


def test_a_users_session_goes_on_after_the_environment_is_closed(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    run.environment.close()
    assert spark.range(3).count() == 3
