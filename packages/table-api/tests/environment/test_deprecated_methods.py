"""Deprecated methods of FLIP-64: they forward with a warning, or name the replacement."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import TableEnvironment, ValidationException
from table_api.udf import udf


def test_scan_joins_its_parts_to_a_path(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="scan is deprecated .FLIP-64.: use from_path"):
        table = env.scan("default_catalog", "default_database", "t")
    assert table.get_resolved_schema().column_names == ("a", "b")


def test_register_table_takes_a_name_of_one_part(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="use create_temporary_view"):
        env.register_table("a.b", env.from_path("t"))
    assert env.list_temporary_views() == ["a.b", "t"]


def test_register_function_makes_a_system_function(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="use create_temporary_system_function"):
        env.register_function("f", udf(lambda i: i, input_types="INT", result_type="INT"))
    assert env.list_temporary_functions() == ["f"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda env: env.register_table_source("s", object()), "register_table_source was removed"),
        (lambda env: env.register_table_sink("s", object()), "register_table_sink was removed"),
        (lambda env: env.connect(object()), "connect was removed"),
    ],
    ids=["source", "sink", "connect"],
)
def test_removed_methods_name_the_replacement(env: TableEnvironment, call: Callable[[TableEnvironment], object], message: str) -> None:
    with pytest.raises(ValidationException, match=message) as raised:
        call(env)
    assert raised.value.hint is not None
    assert "TableDescriptor.for_connector" in raised.value.hint
