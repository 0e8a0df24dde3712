"""A streaming job on Spark: what it checks before it runs, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableError, ValidationException


def test_a_limit_ends_the_job(watched: Any) -> None:
    watched.add((1, 1), (2, 2), (3, 3))
    result = watched.env.execute_sql("SELECT k FROM t LIMIT 2")
    with result.collect() as rows:
        assert len(list(rows)) == 2
    watched.env.execute_sql("CREATE TABLE l (k INT) WITH ('connector' = 'blackhole')")
    watched.env.execute_sql("INSERT INTO l SELECT k FROM t LIMIT 1").wait()


def test_a_failing_row_fails_the_job(watched: Any) -> None:
    watched.add((0, 1))
    with pytest.raises(TableError, match="zero"), watched.env.execute_sql("SELECT v / k AS q FROM t").collect() as rows:
        list(rows)


def test_the_number_of_shares_is_at_most_that_of_buckets(watched: Any) -> None:
    watched.env.get_config().set("table.exec.spark.state-shares", "65")
    with pytest.raises(ValidationException, match="between 1 and 64"):
        watched.start()
