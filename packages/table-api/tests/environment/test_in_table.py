from __future__ import annotations

import pytest

from table_api import TableEnvironment, ValidationException
from table_api.expressions import col


def test_in_of_a_table_is_in_of_a_query(env: TableEnvironment) -> None:
    table = env.from_path("t")
    built = table.where(col("a").in_(table.select(col("a")))).select(col("b"))
    written = env.sql_query("SELECT b FROM t WHERE a IN (SELECT a FROM t)")
    assert built.query_operation == written.query_operation


def test_in_of_a_table_of_two_columns_is_refused(env: TableEnvironment) -> None:
    table = env.from_path("t")
    with pytest.raises(ValidationException, match="compares one value with a query of 2 columns"):
        table.where(col("a").in_(table))
