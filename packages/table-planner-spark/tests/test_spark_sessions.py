"""What the planner does to a session that is not its own."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import TableRuntimeException


def test_the_options_of_a_users_session_are_put_back(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    assert [spark.conf.get(key) for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")] == ["false", "Asia/Tokyo"]


def test_the_options_of_a_users_session_have_no_influence(run: Any) -> None:
    assert run.value("CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING)") == "1970-01-01 00:00:00.000"


def test_options_that_a_user_sets_between_statements_are_noticed(run: Any, spark: SparkSession) -> None:
    statement = "CAST(TIMESTAMP '2020-01-01 00:00:00' AS TIMESTAMP_LTZ(3))"
    first = run.value(statement)
    for zone in ("America/Lima", "Asia/Tokyo"):
        spark.conf.set("spark.sql.session.timeZone", zone)
        spark.conf.set("spark.sql.ansi.enabled", "true" if zone == "America/Lima" else "false")
        assert run.value(statement) == first
        assert spark.conf.get("spark.sql.session.timeZone") == zone
        with pytest.raises(TableRuntimeException):
            run.value("CAST('x' || CAST(RAND() AS STRING) AS INT)")


def test_a_users_session_goes_on_after_the_environment_is_closed(run: Any, spark: SparkSession) -> None:
    run.rows("SELECT 1")
    run.environment.close()
    assert spark.range(3).count() == 3
