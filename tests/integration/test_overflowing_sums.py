"""The error of a sum that overflows names the call and the group, or the partition, by the columns, expressions and values of the user."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableRuntimeException

SALES = "(VALUES ('eu', 1, 9223372036854775807), ('eu', 2, 1), ('us', 3, 1)) AS t(region, id, amount)"
CALLS = [
    (f"SELECT SUM(amount) FROM {SALES}", "SUM(amount)"),
    (f"SELECT SUM(amount + 0) FROM {SALES}", "SUM(amount + 0)"),
    (f"SELECT region, SUM(amount) FROM {SALES} GROUP BY region", "SUM(amount) of the group region = 'eu'"),
    (f"SELECT SUM(DISTINCT amount) FROM {SALES} GROUP BY region", "SUM(DISTINCT amount) of the group region = 'eu'"),
    (f"SELECT MOD(id, 1), SUM(amount) FROM {SALES} GROUP BY MOD(id, 1)", "SUM(amount) of the group MOD(id, 1) = 0"),
    (f"SELECT SUM(amount + 0) FROM {SALES} GROUP BY UPPER(region)", "SUM(amount + 0) of the group UPPER(region) = 'EU'"),
    (f"SELECT SUM(amount) OVER (PARTITION BY region ORDER BY id) FROM {SALES}", "SUM(amount) of the partition region = 'eu'"),
    (f"SELECT SUM(amount) OVER (PARTITION BY region) FROM {SALES}", "SUM(amount) of the partition region = 'eu'"),
    (f"SELECT SUM(DISTINCT amount) OVER (PARTITION BY region) FROM {SALES}", "SUM(DISTINCT amount) of the partition region = 'eu'"),
    (
        f"SELECT id, SUM(amount + 0) OVER (PARTITION BY UPPER(region) ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM {SALES}",
        "SUM(amount + 0) of the partition UPPER(region) = 'EU'",
    ),
    (f"SELECT SUM(amount) OVER (ORDER BY id) FROM {SALES}", "SUM(amount)"),
    (
        f"SELECT COUNT(*) OVER (PARTITION BY id), SUM(amount) OVER (PARTITION BY region) FROM {SALES}",
        "SUM(amount) of the partition region = 'eu'",
    ),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("spark").in_batch_mode().build()) as env:
        yield env


def _embedded(mode: str) -> EnvironmentSettings:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    return (builder.in_batch_mode() if mode == "batch" else builder.in_streaming_mode()).build()


@pytest.mark.parametrize("mode", ["batch", "streaming"])
@pytest.mark.parametrize(("query", "place"), CALLS)
def test_sum_that_overflows_names_call_and_rows(query: str, place: str, mode: str) -> None:
    with TableEnvironment.create(_embedded(mode)) as env, pytest.raises(TableRuntimeException) as caught:
        list(env.execute_sql(query).collect())
    assert caught.value.message == f"SUM overflows BIGINT: {place}."


@pytest.mark.parametrize(
    ("query", "message"),
    [
        *((query, f"SUM overflows BIGINT: {place}.") for query, place in CALLS),
        (
            f"SELECT region, id, SUM(amount) FROM {SALES} GROUP BY GROUPING SETS ((region), (region, id), ())",
            "SUM overflows BIGINT: SUM(amount)",
        ),
        ("SELECT SUM(v) FROM (VALUES (2147483647), (1)) AS t(v)", "SUM overflows INT: SUM(v)."),
        ("SELECT SUM(v) OVER () FROM (VALUES (CAST(127 AS TINYINT)), (CAST(1 AS TINYINT))) AS t(v)", "SUM overflows TINYINT: SUM(v)."),
        (
            "SELECT SUM(v) FROM (VALUES (DATE '2024-02-29', 2147483647), (DATE '2024-02-29', 1)) AS t(d, v) GROUP BY d",
            "SUM overflows INT: SUM(v) of the group d = '2024-02-29'.",
        ),
        (
            "SELECT SUM(v) FROM (VALUES (CAST(NULL AS STRING), 2147483647), (NULL, 1)) AS t(d, v) GROUP BY d",
            "SUM overflows INT: SUM(v) of the group d = NULL.",
        ),
    ],
)
def test_sum_that_overflows_names_call_and_rows_on_spark(spark: TableEnvironment, query: str, message: str) -> None:
    with pytest.raises(TableRuntimeException) as caught:
        list(spark.execute_sql(query).collect())
    assert caught.value.message.startswith(message)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("Sum CAST(… AS ")


@pytest.mark.parametrize("function", ["SUM(v)", "SUM(DISTINCT v)", "SUM(v) FILTER (WHERE v > 0)", "SUM(v) OVER ()"])
@pytest.mark.parametrize("values", ["(1), (CAST(NULL AS INT)), (2)", "(CAST(NULL AS INT))"])
def test_sums_that_fit_are_those_of_the_embedded_engine(spark: TableEnvironment, function: str, values: str) -> None:
    query = f"SELECT {function} FROM (VALUES {values}) AS t(v)"
    with TableEnvironment.create(_embedded("batch")) as env:
        expected = list(env.execute_sql(query).collect())
    assert list(spark.execute_sql(query).collect()) == expected


@pytest.mark.parametrize(
    ("query", "place"),
    [
        (
            "SELECT SUM(amount) OVER (PARTITION BY UPPER(region) ORDER BY ts) FROM events",
            "SUM(amount) of the partition UPPER(region) = 'EU'",
        ),
        (
            """SELECT SUM(amount) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
            GROUP BY window_start, window_end, UPPER(region)""",
            "UPPER(region) = 'EU'",
        ),
    ],
)
def test_sum_over_event_time_names_call_and_rows(query: str, place: str) -> None:
    with TableEnvironment.create(_embedded("streaming")) as env:
        env.execute_sql(
            "CREATE TABLE events (region STRING, ts TIMESTAMP(3), amount BIGINT, WATERMARK FOR ts AS ts) WITH ('connector' = 'memory')"
        )
        env.execute_sql(
            "INSERT INTO events VALUES ('eu', TIMESTAMP '2024-01-01 00:00:00', 9223372036854775807),"
            " ('eu', TIMESTAMP '2024-01-01 00:00:01', 1), ('us', TIMESTAMP '2024-01-01 00:00:02', 1)"
        ).wait()
        with pytest.raises(TableRuntimeException) as caught:
            list(env.execute_sql(query).collect())
    assert place in caught.value.message
    assert "$" not in caught.value.message
