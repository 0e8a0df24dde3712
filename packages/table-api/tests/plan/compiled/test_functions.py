"""Functions in compiled plans are found by their names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableException, ValidationException
from table_api.expressions import call, col
from table_api.plan.compiled import read_plan
from table_api.udf import udf

SOURCE = "CREATE TABLE s (a INT, b STRING, c AS a + 1) WITH ('connector' = 'datagen')"


SINK = "CREATE TABLE k (a INT, b STRING) WITH ('connector' = 'blackhole', 'password' = 'hunter2')"


def _environment(*statements: str) -> TableEnvironment:
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for statement in statements:
        environment.execute_sql(statement)
    return environment


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine, with the tables s and k."""
    with _environment(SOURCE, SINK) as environment:
        yield environment


def _double(value: int) -> int:
    return 2 * value


def test_a_function_without_a_name_is_not_compiled(plain: TableEnvironment) -> None:
    function = udf(_double, result_type="BIGINT")
    doubled = plain.from_path("s").select(call(function, col("a")), col("b"))
    plain.execute_sql("CREATE TABLE big (a BIGINT, b STRING) WITH ('connector' = 'blackhole')")
    with pytest.raises(TableException, match="is not registered and not a class of a module"):
        doubled.insert_into("big").compile_plan()


def test_a_registered_function_is_found_by_its_name(plain: TableEnvironment) -> None:
    plain.create_temporary_system_function("twice", udf(_double, result_type="BIGINT"))
    plain.execute_sql("CREATE TABLE big (a BIGINT) WITH ('connector' = 'blackhole')")
    text = plain.compile_plan_sql("INSERT INTO big SELECT twice(a) FROM s").as_json_string()
    (operation,) = read_plan(text, plain.session).operations
    assert operation == plain.session.parse("INSERT INTO big SELECT twice(a) FROM s")
    with _environment() as other, pytest.raises(ValidationException, match="`twice`, which is not registered"):
        read_plan(text, other.session)
