"""Functions that could make values of any size from small ones are bounded as on the embedded engine."""

from __future__ import annotations

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableRuntimeException

CALLS = {
    "REPEAT(a, 2147483647)": "REPEAT would make a value of 2,147,483,647 characters, but a value may have 268,435,456",
    "LPAD(a, 2147483647, 'y')": "The padded text would make a value of 2,147,483,647 characters",
    "RPAD(a, 2147483647, 'y')": "The padded text would make a value of 2,147,483,647 characters",
    "PRINTF('%999999999d', n)": "PRINTF would make a value of 999,999,999 characters",
    "PRINTF(p, n)": "PRINTF would make a value of 999,999,999 characters",
}


@pytest.fixture
def env(spark: object) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    return TableEnvironment.create(settings, external={"spark": spark})


@pytest.mark.parametrize("call", CALLS)
def test_a_value_that_would_be_too_large_is_an_error(env: TableEnvironment, call: str) -> None:
    with pytest.raises(TableRuntimeException, match=CALLS[call]):
        env.execute_sql(f"SELECT {call} FROM (VALUES ('x', 1, '%.999999999s')) AS t(a, n, p)").to_arrow()


def test_others_are_what_they_were(env: TableEnvironment) -> None:
    calls = "REPEAT(a, 3), REPEAT(a, -1), LPAD(a, 3, 'y'), RPAD(a, 3, 'y'), PRINTF('%5d|%%99999999999', n), PRINTF(p, n), REPEAT(z, 2)"
    query = f"SELECT {calls} FROM (VALUES ('x', 1, '%3d', CAST(NULL AS STRING))) AS t(a, n, p, z)"
    (row,) = env.execute_sql(query).to_arrow().to_pylist()
    assert list(row.values()) == ["xxx", "", "yyx", "xyy", "    1|%99999999999", "  1", None]
