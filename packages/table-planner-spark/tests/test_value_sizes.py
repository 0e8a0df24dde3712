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
    "REPLACE(l, 'x', l)": "REPLACE would make a value of 400,000,000 characters",
    "REPLACE(l, '', l)": "REPLACE would make a value of 400,040,000 characters",
    "REGEXP_REPLACE(l, 'x', l)": "REGEXP_REPLACE would make a value of 400,000,000 characters",
    "CAST(a AS CHAR(2147483647))": "CAST would make a value of 2,147,483,647 characters",
    "CAST(CAST(a AS BYTES) AS BINARY(2147483647))": "CAST would make a value of 2,147,483,647 characters",
    "PRINTF(p, n)": "PRINTF would make a value of 999,999,999 characters",
}


@pytest.fixture
def env(spark: object) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("spark").build()
    return TableEnvironment.create(settings, external={"spark": spark})


@pytest.mark.parametrize("call", CALLS)
def test_a_value_that_would_be_too_large_is_an_error(env: TableEnvironment, call: str) -> None:
    with pytest.raises(TableRuntimeException, match=CALLS[call]):
        env.execute_sql(
            f"SELECT {call} FROM (SELECT a, n, p, REPEAT(a, 20000) AS l FROM (VALUES ('x', 1, '%.999999999s')) AS t(a, n, p))"
        ).to_arrow()


def test_others_are_what_they_were(env: TableEnvironment) -> None:
    calls = "REPEAT(a, 3), REPEAT(a, -1), LPAD(a, 3, 'y'), RPAD(a, 3, 'y'), PRINTF('%5d|%%99999999999', n), PRINTF(p, n), REPEAT(z, 2)"
    query = f"SELECT {calls} FROM (VALUES ('x', 1, '%3d', CAST(NULL AS STRING))) AS t(a, n, p, z)"
    (row,) = env.execute_sql(query).to_arrow().to_pylist()
    assert list(row.values()) == ["xxx", "", "yyx", "xyy", "    1|%99999999999", "  1", None]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("REPLACE(a, s, r)", "b$1b$1-b$1"),
        ("REPLACE(a, '', r)", "b$1xb$1xb$1-b$1xb$1"),
        ("REPLACE(a, e, r)", "b$1xb$1xb$1-b$1xb$1"),
        ("REPLACE(a, s, z)", None),
        ("REPLACE(a, s, e)", "-"),
        ("REPLACE(e, e, r)", "b$1"),
        ("REPLACE(a, 'x', 'yy')", "yyyy-yy"),
        ("REGEXP_REPLACE(a, 'x+', r)", "b$1-b$1"),
        ("REGEXP_REPLACE(a, 'x', z)", None),
        ("REGEXP_REPLACE(a, 'x', '$')", "$$-$"),
        ("CHAR_LENGTH(REPLACE(REPEAT(a, 5000), s, REPEAT(r, 2000)))", 15000 * 6000 + 5000),
        ("CHAR_LENGTH(REGEXP_REPLACE(REPEAT(a, 5000), 'x', REPEAT(r, 2000)))", 15000 * 6000 + 5000),
    ],
)
def test_replacing_gives_what_flink_gives(env: TableEnvironment, call: str, expected: object) -> None:
    values = "(VALUES ('xx-x', 'x', 'b$1', '', CAST(NULL AS STRING))) AS t(a, s, r, e, z)"
    (row,) = env.execute_sql(f"SELECT {call} AS v FROM {values}").to_arrow().to_pylist()
    assert row["v"] == expected
