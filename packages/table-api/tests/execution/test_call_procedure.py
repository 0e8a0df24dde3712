"""Tests for table_api.execution.call_procedure; those that need an engine are in tests/integration/test_procedures.py."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.catalog import CatalogDatabase, GenericInMemoryCatalog, ObjectPath, Procedure, ProcedureContext
from table_common.exceptions import CatalogException, TableRuntimeException, ValidationException
from table_common.functions import function_hint


class Repeated(Procedure):
    def call(self, context: ProcedureContext, text: str, mark: str | None = "!") -> list[str]:
        return [text, f"{mark}", context.identifier.object_name, context.configuration.get_string("pipeline.name", "unset")]


class Hinted(Procedure):
    @function_hint(input=["STRING"], output="ARRAY<ROW<name STRING, n INT>>")
    def call(self, context: Any, text: Any) -> Any:
        return [(text, 1), None]


class Nothing(Procedure):
    calls = 0

    def call(self, context: ProcedureContext) -> None:
        type(self).calls += 1


class Failing(Procedure):
    def call(self, context: ProcedureContext, how: str) -> list[int]:
        if how == "raise":
            raise KeyError("boom")
        if how == "table error":
            raise ValidationException("The files are gone.")
        return ["a"]  # type: ignore[list-item]  # on purpose


class Unannotated(Procedure):
    def call(self, context, x):  # type: ignore[no-untyped-def]  # on purpose
        return [x]


class NoList(Procedure):
    def call(self, context: ProcedureContext) -> int:
        return 1


class NoContext(Procedure):
    def call(self) -> list[int]:
        return []


PROCEDURES = {
    "repeated": Repeated(),
    "hinted": Hinted(),
    "nothing": Nothing(),
    "failing": Failing(),
    "unannotated": Unannotated(),
    "no list": NoList(),
    "no context": NoContext(),
    "no call": Procedure(),
}


class WithProcedures(GenericInMemoryCatalog):
    def list_procedures(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return sorted(PROCEDURES) if database_name == "system" else []

    def get_procedure(self, procedure_path: ObjectPath) -> Procedure:
        if procedure_path.database_name != "system" or procedure_path.object_name not in PROCEDURES:
            return super().get_procedure(procedure_path)
        return PROCEDURES[procedure_path.object_name]


@pytest.fixture
def lake(env: TableEnvironment) -> TableEnvironment:
    catalog = WithProcedures("lake")
    catalog.create_database("system", CatalogDatabase(), False)
    env.register_catalog("lake", catalog)
    env.use_catalog("lake")
    return env


def rows(env: TableEnvironment, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    result = env.execute_sql(statement)
    return result.get_table_schema().get_field_names(), [tuple(row) for row in result.collect()]


def test_arguments_have_names_and_defaults(lake: TableEnvironment) -> None:
    lake.get_config().set("pipeline.name", "c")
    assert rows(lake, "CALL lake.`system`.repeated('x')") == (["result"], [("x",), ("!",), ("repeated",), ("c",)])
    assert rows(lake, "CALL `system`.repeated(mark => NULL, text => 'x')")[1][:2] == [("x",), ("None",)]


def test_rows_are_columns(lake: TableEnvironment) -> None:
    assert rows(lake, "CALL `system`.hinted('x')") == (["name", "n"], [("x", 1), (None, None)])


def test_a_procedure_may_return_nothing(lake: TableEnvironment) -> None:
    before = Nothing.calls
    assert rows(lake, "CALL `system`.nothing()") == (["result"], [("OK",)])
    assert Nothing.calls == before + 1


def test_procedures_are_listed(lake: TableEnvironment) -> None:
    assert rows(lake, "SHOW PROCEDURES") == (["procedure name"], [])
    assert rows(lake, "SHOW PROCEDURES IN `system` LIKE 'n%ing'")[1] == [("nothing",)]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("repeated(NULL)", ValidationException, "The argument 'text' of repeated is NULL"),
        ("repeated()", ValidationException, "repeated takes 1 to 2 arguments, but got 0"),
        ("repeated('a', 'b', 'c')", ValidationException, "but got 3"),
        ("repeated(other => 'a')", ValidationException, "other"),
        ("repeated(ARRAY[1])", ValidationException, "is not a valid call"),
        ("repeated(x)", ValidationException, "Column 'x' does not exist"),
        ("repeated((SELECT 'a'))", ValidationException, "A subquery is not allowed"),
        ("missing()", CatalogException, r"The procedure system\.missing does not exist(.|\n)*CALL(.|\n)*SHOW PROCEDURES"),
        ("failing('raise')", TableRuntimeException, "The procedure failing failed: KeyError: 'boom'"),
        ("failing('table error')", ValidationException, r"The files are gone\."),
        ("failing('wrong')", TableRuntimeException, "returned a wrong value: In element 1: 'a'"),
        ("unannotated(1)", ValidationException, r"The parameter 'x' of unannotated\.call has no type"),
        ("`no list`()", ValidationException, "must return a list of rows or values, but its type is BIGINT"),
        ("`no context`()", ValidationException, "has no method call with a context"),
        ("`no call`()", ValidationException, "has no method call with a context"),
    ],
)
def test_errors_name_the_procedure_and_what_it_takes(lake: TableEnvironment, call: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        lake.execute_sql(f"CALL `system`.{call}")
