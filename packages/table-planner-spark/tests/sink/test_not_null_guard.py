"""Columns of sinks that are declared NOT NULL."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException

NULL_ROW = "INSERT INTO guarded SELECT x, 'b' FROM (VALUES (1), (CAST(NULL AS INT))) AS t(x)"


@pytest.fixture
def guarded(env: Any) -> Any:
    env.execute_sql("CREATE TEMPORARY TABLE guarded (a INT NOT NULL, b STRING) WITH ('connector' = 'blackhole')")
    return env


def test_a_null_is_an_error_that_names_the_column(guarded: Any) -> None:
    with pytest.raises(TableRuntimeException, match=r"Column 'a' of table default_catalog\.default_database\.guarded is declared NOT NULL"):
        guarded.execute_sql(NULL_ROW).wait()


def test_a_row_with_null_is_dropped_with_the_option(guarded: Any) -> None:
    guarded.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
    (counts,) = guarded.execute_sql(NULL_ROW).to_arrow().to_pylist()
    assert list(counts.values()) == [1]
