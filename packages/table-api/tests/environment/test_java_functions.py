"""Methods of PyFlink that need Java raise an error that names the replacement."""

from __future__ import annotations

import pytest

from table_api import PlanReference, TableEnvironment
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("method", "replacement"),
    [
        ("create_java_function", "create_function"),
        ("create_java_temporary_function", "create_temporary_function"),
        ("create_java_temporary_system_function", "create_temporary_system_function"),
    ],
)
def test_functions_of_java_are_refused(env: TableEnvironment, method: str, replacement: str) -> None:
    with pytest.raises(ValidationException, match=f"{method} cannot register 'f'.*\n.* {replacement}\\('f'"):
        getattr(env, method)("f", "org.Function")


def test_plans_have_no_smile_form(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE sink (a INT) WITH ('connector' = 'blackhole')")
    plan = env.compile_plan_sql("INSERT INTO sink VALUES (1)")
    with pytest.raises(ValidationException, match="as_json_string"):
        plan.as_smile_bytes()
    with pytest.raises(ValidationException, match="from_json_string"):
        PlanReference.from_smile_bytes(b"")
    assert plan.get_flink_version() == "2.3"


def test_statement_sets_are_no_data_streams(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Call execute"):
        env.create_statement_set().attach_as_datastream()


def test_there_are_no_materialized_tables_and_procedures(env: TableEnvironment) -> None:
    assert env.list_materialized_tables() == []
    catalog = env.get_catalog("default_catalog")
    assert catalog is not None
    assert catalog.list_materialized_tables("default_database") == []
