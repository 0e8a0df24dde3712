"""The modules ``hive`` and ``spark``: functions that Spark types and runs, and the subset that the embedded engine supports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableException, ValidationException
from table_planner_spark.spark_module import SparkModule

MakeEnv = Callable[[str], TableEnvironment]
ROWS = "(VALUES (1, 3, 'a b'), (1, 4, 'b c'), (2, 5, 'a b')) AS t (g, x, s)"


@pytest.fixture
def with_spark(make_env: MakeEnv) -> TableEnvironment:
    env = make_env("spark")
    env.execute_sql("LOAD MODULE spark")
    return env


@pytest.fixture
def with_hive(make_env: MakeEnv) -> TableEnvironment:
    env = make_env("spark")
    env.execute_sql("LOAD MODULE hive WITH ('hive-version' = '2.3.10')")
    env.execute_sql("USE MODULES hive, core")
    return env


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(query).collect()]


def types(env: TableEnvironment, query: str) -> list[str]:
    return [str(column.data_type) for column in env.sql_query(query).get_resolved_schema().columns]


# --- spark -----------------------------------------------------------------------------------------------------------------------


def test_spark_module_lists_the_functions_of_the_session(with_spark: TableEnvironment) -> None:
    names = with_spark.list_functions()
    assert {"soundex", "from_json", "max_by", "posexplode", "upper"} <= set(names)
    assert not [name for name in names if not name.isidentifier() and name != "$sum0"]


def test_spark_types_its_functions(with_spark: TableEnvironment) -> None:
    query = f"SELECT soundex(s), bit_count(x), sequence(1, x), factorial(x) FROM {ROWS}"
    assert types(with_spark, query) == ["STRING", "INT", "ARRAY<INT NOT NULL>", "BIGINT"]


def test_spark_function_receives_constants_as_constants(with_spark: TableEnvironment) -> None:
    query = 'SELECT from_json(s, \'a INT, b STRING\').b, schema_of_json(\'{"a":1}\') FROM (VALUES (\'{"a":1,"b":"x"}\')) AS t (s)'
    assert rows(with_spark, query) == [("x", "STRUCT<a: BIGINT>")]


def test_spark_aggregates_run_in_groups_and_windows(with_spark: TableEnvironment) -> None:
    grouped = f"SELECT g, max_by(s, x), percentile_approx(x, 0.5) FILTER (WHERE x > 3), bool_or(x > 4) FROM {ROWS} GROUP BY g"
    assert sorted(rows(with_spark, grouped)) == [(1, "b c", 4, False), (2, "a b", 5, True)]
    window = f"SELECT x, count_if(x > 3) OVER (PARTITION BY g ORDER BY x) FROM {ROWS}"
    assert sorted(rows(with_spark, window)) == [(3, 0), (4, 1), (5, 1)]


def test_spark_table_functions_can_be_used_in_from(with_spark: TableEnvironment) -> None:
    query = f"SELECT x, p, c FROM {ROWS}, LATERAL TABLE(posexplode(split(s, ' '))) AS w (p, c) WHERE g = 2"
    assert sorted(rows(with_spark, query)) == [(5, 0, "a"), (5, 1, "b")]
    outer = "SELECT * FROM (VALUES (1)) AS t (x) LEFT JOIN LATERAL TABLE(explode(slice(ARRAY[x], 1, 0))) AS e (y) ON TRUE"
    assert rows(with_spark, outer) == [(1, None)]


def test_wrong_arguments_of_a_spark_function_are_an_error_with_the_reason(with_spark: TableEnvironment) -> None:
    with pytest.raises(
        ValidationException, match=r"SOUNDEX\(INT NOT NULL, INT NOT NULL\) is not a valid call: .*requires 1 parameters"
    ) as got:
        with_spark.sql_query("SELECT soundex(1, 2)")
    assert "SQLSTATE" not in str(got.value)


def test_spark_function_with_a_lambda_is_refused(with_spark: TableEnvironment) -> None:
    with pytest.raises(TableException, match="it requires a lambda"):
        with_spark.sql_query("SELECT transform_values(MAP['a', 1], 2)")


def test_spark_module_leaves_window_functions_to_sql(with_spark: TableEnvironment) -> None:
    with_spark.execute_sql("USE MODULES spark, core")
    query = f"SELECT x, ROW_NUMBER() OVER (ORDER BY x), COUNT(*) OVER () FROM {ROWS}"
    assert sorted(rows(with_spark, query)) == [(3, 1, 3), (4, 2, 3), (5, 3, 3)]


def test_spark_module_has_functions_registered_in_the_session(make_env: MakeEnv, spark: Any) -> None:
    env = make_env("spark")
    spark.udf.register("twice_of_session", lambda text: text * 2)
    env.load_module("spark", SparkModule(spark))
    assert rows(env, "SELECT twice_of_session('ab')") == [("abab",)]


def test_spark_module_needs_the_planner_spark(make_env: MakeEnv) -> None:
    with pytest.raises(ValidationException, match="this session's planner is 'arrow'"):
        make_env("arrow").execute_sql("LOAD MODULE spark")


# --- hive ------------------------------------------------------------------------------------------------------------------------


def test_hive_classes_run_on_spark(with_hive: TableEnvironment) -> None:
    query = "SELECT `mask`('Abc-123'), concat('a', 1), `index`(ARRAY['a', 'b'], 1), soundex('Miller'), `xpath_int`('<a>7</a>', 'a')"
    assert rows(with_hive, query) == [("Xxx-nnn", "a1", "b", "M460", 7)]
    assert types(with_hive, query) == ["STRING", "STRING", "STRING", "STRING", "INT"]


def test_hive_aggregates_run_on_spark(with_hive: TableEnvironment) -> None:
    query = f"SELECT g, sum(x), `percentile`(CAST(x AS BIGINT), 0.5), count(*) FROM {ROWS} GROUP BY g"
    assert sorted(rows(with_hive, query)) == [(1, 7, 3.5, 2), (2, 5, 5.0, 1)]
    assert types(with_hive, query)[1:] == ["BIGINT", "DOUBLE", "BIGINT NOT NULL"]


def test_hive_table_functions_run_on_spark(with_hive: TableEnvironment) -> None:
    query = "SELECT id, k, v FROM (VALUES (1, MAP['a', 2])) AS t (id, m), LATERAL TABLE(explode(m)) AS e (k, v)"
    assert rows(with_hive, query) == [(1, "a", 2)]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_hive_timestamps_have_no_zone(with_hive: TableEnvironment, zone: str) -> None:
    with_hive.get_config().set("table.local-time-zone", zone)
    query = "SELECT hour(t), CAST(`floor_hour`(t) AS STRING) FROM (VALUES (TIMESTAMP '2020-02-03 04:05:06')) AS r (t)"
    assert rows(with_hive, query.replace("hour(t)", "`hour`(t)", 1)) == [(4, "2020-02-03 04:00:00.000000")]


def test_wrong_arguments_of_a_hive_function_are_an_error_with_the_reason(with_hive: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"SOUNDEX\(INT NOT NULL, INT NOT NULL\) is not a valid call: .*soundex"):
        with_hive.sql_query("SELECT soundex(1, 2)")


def test_hive_functions_leave_nothing_on_disk(with_hive: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(Path(__file__).parents[2].iterdir())
    assert rows(with_hive, "SELECT `mask`('a')") == [("x",)]
    assert list(tmp_path.iterdir()) == []
    assert not [path.name for path in set(Path(__file__).parents[2].iterdir()) - before if path.name in ("metastore_db", "derby.log")]


def test_hive_functions_with_an_equivalent_built_in_run_on_the_embedded_engine(make_env: MakeEnv) -> None:
    env = make_env("arrow")
    env.execute_sql("LOAD MODULE hive")
    env.execute_sql("USE MODULES hive")
    assert rows(env, "SELECT ucase('ab'), nvl(CAST(NULL AS INT), 3), count(*)") == [("AB", 3, 1)]


def test_other_hive_functions_are_refused_on_the_embedded_engine(make_env: MakeEnv) -> None:
    env = make_env("arrow")
    env.execute_sql("LOAD MODULE hive")
    with pytest.raises(TableException, match=r"cannot run the function MASK of hive: .* on Spark") as got:
        env.sql_query("SELECT `mask`('a')")
    assert "with_planner('spark')" in str(got.value)


def test_hive_function_that_no_engine_has_is_refused(make_env: MakeEnv) -> None:
    env = make_env("spark")
    env.execute_sql("LOAD MODULE hive WITH ('hive-version' = '3.1.3')")
    with pytest.raises(TableException, match="the Hive that PySpark ships does not have it"):
        env.sql_query("SELECT `current_groups`()")


def test_describe_function_of_hive_needs_no_engine(make_env: MakeEnv) -> None:
    env = make_env("arrow")
    env.execute_sql("LOAD MODULE hive")
    assert ("kind", "SCALAR") in rows(env, "DESCRIBE FUNCTION EXTENDED `mask`")
