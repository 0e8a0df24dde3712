"""All fluent methods and functions of PyFlink exist here, except those listed with a reason."""

from __future__ import annotations

import json

import pytest
from corpus import NOT_FOUND, corpus_folder

import table_api.expressions
from table_api import CompiledPlan, DataTypes, Expression, ListView, MapView, ResolvedSchema, StatementSet, Table, TableEnvironment
from table_api.group_windows import WindowGroupedTable
from table_api.grouped_table import GroupedTable
from table_api.udf import FunctionContext
from table_common.catalog import Catalog

FOLDER = corpus_folder()

MISSING_METHODS = {
    "flatten": "SELECT r.* and col('r').get('field') take a row apart",
}
MISSING_FUNCTIONS: dict[str, str] = {}
CLASSES: dict[str, type] = {
    "catalog.Catalog": Catalog,
    "catalog.ResolvedSchema": ResolvedSchema,
    "table.CompiledPlan": CompiledPlan,
    "table.DataTypes": DataTypes,
    "table.FunctionContext": FunctionContext,
    "table.GroupedTable": GroupedTable,
    "table.ListView": ListView,
    "table.MapView": MapView,
    "table.StatementSet": StatementSet,
    "table.Table": Table,
    "table.TableEnvironment": TableEnvironment,
    "table.WindowGroupedTable": WindowGroupedTable,
    "udf.FunctionContext": FunctionContext,
}
_JAVA = "there is no Java virtual machine in the process: functions are Python's"
_DATA_STREAMS = "there is no DataStream API beside the Table API"
_MATERIALIZED = "there are no materialized tables, which a scheduler outside of the program refreshes"
MISSING_MEMBERS: dict[str, dict[str, str]] = {
    "catalog.Catalog": {
        "get_procedure": "there are no procedures to call",
        "list_materialized_tables": _MATERIALIZED,
    },
    "table.CompiledPlan": {
        "as_smile_bytes": "plans are JSON alone: Smile is a format of Java programs",
        "get_flink_version": "a plan knows the version of these packages, which compiled it, not one of Flink",
    },
    "table.StatementSet": {"attach_as_datastream": _DATA_STREAMS},
    "table.TableEnvironment": {
        "create_java_function": _JAVA,
        "create_java_temporary_function": _JAVA,
        "create_java_temporary_system_function": _JAVA,
        "list_materialized_tables": _MATERIALIZED,
    },
}

needs_names = pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)


def names() -> dict[str, dict[str, list[str]]]:
    assert FOLDER is not None
    found: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "pyflink_api.json").read_text(encoding="utf-8"))
    return found


@needs_names
def test_every_fluent_method_exists_or_has_a_reason() -> None:
    missing = {name for name in names()["expression.Expression"]["members"] if not hasattr(Expression, name)}
    assert missing == set(MISSING_METHODS)


@needs_names
def test_every_function_exists_or_has_a_reason() -> None:
    functions = {key.removeprefix("expressions.") for key in names() if key.startswith("expressions.")}
    assert {name for name in functions if not hasattr(table_api.expressions, name)} == set(MISSING_FUNCTIONS)


@needs_names
@pytest.mark.parametrize("name", CLASSES)
def test_every_member_exists_or_has_a_reason(name: str) -> None:
    missing = {member for member in names()[name]["members"] if not hasattr(CLASSES[name], member)}
    assert missing == set(MISSING_MEMBERS.get(name, {}))
