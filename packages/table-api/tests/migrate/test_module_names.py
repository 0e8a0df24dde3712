"""PyFlink's modules and the modules here."""

from __future__ import annotations

import pytest

from table_api.migrate.module_names import counterpart_of, has_name, reason_against


@pytest.mark.parametrize(
    ("module", "here"),
    [
        ("pyflink", "table_api"),
        ("pyflink.table", "table_api"),
        ("pyflink.table.catalog", "table_api.catalog"),
        ("pyflink.table.table_environment", "table_api.table_environment"),
        ("pyflink.common", "table_api.common"),
        ("pyflink.common.time", "table_api.common"),
        ("pyflink.datastream.stream_execution_environment", "table_api.datastream"),
        ("pyflink.util.exceptions", "table_api.exceptions"),
        ("pyflink.table.utils", None),
        ("pyflink.table.nothing", None),
        ("pyflink.java_gateway", None),
        ("other", None),
    ],
)
def test_counterparts(module: str, here: str | None) -> None:
    assert counterpart_of(module) == here


def test_names_and_submodules_are_found() -> None:
    assert has_name("table_api", "TableEnvironment")
    assert has_name("table_api", "expressions")
    assert not has_name("table_api", "Nothing")


def test_reasons() -> None:
    assert reason_against("pyflink.metrics.metricbase") == reason_against("pyflink.metrics")
    assert reason_against("pyflink.common", "Encoder") is not None
    assert reason_against("pyflink.common", "Row") is None
