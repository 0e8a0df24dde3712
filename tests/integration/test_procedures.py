"""Procedures of catalogs: arguments that an engine evaluates, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest

from table_api import TableEnvironment
from table_api.catalog import GenericInMemoryCatalog, ObjectPath, Procedure, ProcedureContext
from table_api.udf import DataTypeHint


@dataclass
class Described:
    text: str
    at: datetime | None
    total: Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")]


class Describe(Procedure):
    def call(self, context: ProcedureContext, moment: datetime | None, tags: list[str], count: int = 7) -> list[Described]:
        return [Described("-".join(tags), moment, Decimal(count) / 2), Described(context.identifier.catalog_name, None, Decimal(0))]


class WithProcedure(GenericInMemoryCatalog):
    def list_procedures(self, database_name: str) -> list[str]:
        return ["describe_all"]

    def get_procedure(self, procedure_path: ObjectPath) -> Procedure:
        return Describe()


@pytest.mark.parametrize("planner", ["arrow", "spark"])
@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ("TIMESTAMP '2024-01-02 03:04:05.678', ARRAY['a', UPPER('b')]", ("a-B", datetime(2024, 1, 2, 3, 4, 5, 678000), Decimal("3.5"))),
        ("NULL, ARRAY['c'], 1 + 1", ("c", None, Decimal(1))),
        ("tags => ARRAY['d'], moment => CAST('2024-01-02 00:00:00' AS TIMESTAMP)", ("d", datetime(2024, 1, 2), Decimal("3.5"))),
    ],
)
def test_the_engine_evaluates_arguments(
    make_env: Callable[[str], TableEnvironment], planner: str, arguments: str, first: tuple[Any, ...]
) -> None:
    env = make_env(planner)
    env.register_catalog("lake", WithProcedure("lake"))
    statement = f"CALL lake.`default`.describe_all({arguments})"
    result = env.execute_sql(statement)
    assert result.get_table_schema().get_field_names() == ["text", "at", "total"]
    assert [tuple(row) for row in result.collect()] == [first, ("lake", None, Decimal(0))]
