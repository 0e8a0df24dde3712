"""Registration of user functions on both engines, and job parameters and dependencies."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import DataTypes, TableEnvironment, ValidationException
from table_api.udf import (
    FunctionContext,
    ScalarFunction,
    TableFunction,
    udf,
)
from table_common.exceptions import CatalogException

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


class Between(ScalarFunction):
    def eval(self, value: int, low: int = 0, high: int = 10) -> bool:
        return low <= value <= high


class Words(TableFunction[str]):
    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()


class Person:
    name: str


# --- registration -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def module() -> Iterator[str]:
    """A module with a function and another class."""
    name = "module_of_user_functions"
    made = types.ModuleType(name)
    for class_ in (Between, Words, Person):
        setattr(made, class_.__name__, class_)
    sys.modules[name] = made
    yield name
    del sys.modules[name]


def test_create_and_drop_function_in_sql(planner: str, make_env: MakeEnv, module: str) -> None:
    env = make_env(planner)
    for kind in ("", "TEMPORARY ", "TEMPORARY SYSTEM "):
        env.execute_sql(f"CREATE {kind}FUNCTION in_range AS '{module}.Between' LANGUAGE PYTHON")
        assert rows(env, "SELECT in_range(x) FROM (VALUES (5)) AS t(x)") == [(True,)]
        assert rows(env, "SHOW USER FUNCTIONS") == [("in_range",)]
        env.execute_sql(f"DROP {kind}FUNCTION in_range")
        assert rows(env, "SHOW USER FUNCTIONS") == []


def test_alter_function(planner: str, make_env: MakeEnv, module: str) -> None:
    env = make_env(planner)
    env.execute_sql(f"CREATE FUNCTION f AS '{module}.Between' LANGUAGE PYTHON")
    env.execute_sql(f"ALTER FUNCTION f AS '{module}.Words' LANGUAGE PYTHON")
    assert rows(env, "SELECT * FROM TABLE(f('a b'))") == [("a",), ("b",)]


def test_a_class_other_than_a_function_is_refused(planner: str, make_env: MakeEnv, module: str) -> None:
    with pytest.raises(ValidationException, match="'Person' is not a function of ours"):
        make_env(planner).execute_sql(f"CREATE TEMPORARY FUNCTION f AS '{module}.Person' LANGUAGE PYTHON")


def test_module_that_does_not_exist_is_refused(planner: str, make_env: MakeEnv) -> None:
    with pytest.raises(ValidationException, match="module 'no_such_module' does not exist"):
        make_env(planner).execute_sql("CREATE TEMPORARY FUNCTION f AS 'no_such_module.F' LANGUAGE PYTHON")


def test_a_temporary_function_shadows_the_catalog_function(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_function("f", Between)
    env.create_temporary_function("default_database.f", Words)
    with pytest.raises(CatalogException, match="hides"):
        env.drop_function("f")
    env.drop_temporary_function("default_database.f")
    assert rows(env, "SELECT f(x) FROM (VALUES (5)) AS t(x)") == [(True,)]


def test_functions_are_resolved_in_the_order_system_built_in_temporary(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    shout = udf(lambda text: text + "!", result_type=DataTypes.STRING())
    env.create_temporary_function("default_database.upper", shout)
    assert rows(env, "SELECT UPPER(x) FROM (VALUES ('a')) AS t(x)") == [("A",)]
    env.create_temporary_system_function("upper", shout)
    assert rows(env, "SELECT UPPER(x) FROM (VALUES ('a')) AS t(x)") == [("a!",)]


def test_wrong_signature_is_reported_at_registration(planner: str, make_env: MakeEnv) -> None:
    class Untyped(ScalarFunction):
        def eval(self, a):  # type: ignore[no-untyped-def]
            return a

    with pytest.raises(ValidationException, match=r"parameter 'a' of f\.eval has no type") as error:
        make_env(planner).create_temporary_system_function("f", as_named(Untyped))
    assert "a: int" in (error.value.hint or "")


def as_named(class_: type[ScalarFunction]) -> type[ScalarFunction]:
    class_.__qualname__ = "f"
    return class_


# --- job parameters and dependencies --------------------------------------------------------------------------------------------------


class Parameterized(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        self.greeting = function_context.get_job_parameter("greeting", "none")

    def eval(self, name: str) -> str:
        return f"{self.greeting} {name}"


def test_job_parameters_reach_open(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("greet", Parameterized)
    env.get_config().set("pipeline.global-job-parameters", "greeting:hello,other:1")
    assert rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)") == [("hello you",)]


class Importing(ScalarFunction):
    def eval(self, x: int) -> int:
        import file_of_user_functions

        result: int = file_of_user_functions.triple(x)
        return result


def test_added_python_file_can_be_imported(planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    file = tmp_path / "file_of_user_functions.py"
    file.write_text("def triple(x):\n    return 3 * x\n")
    env = make_env(planner)
    env.create_temporary_function("triple", Importing)
    env.add_python_file(str(file))
    assert rows(env, "SELECT triple(x) FROM (VALUES (5)) AS t(x)") == [(15,)]


def test_python_requirements_are_recorded(planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env(planner)
    file = tmp_path / "requirements.txt"
    file.write_text("pytest\n")
    env.set_python_requirements(str(file), str(tmp_path))
    assert env.get_config().get("python.requirements", "") == f"{file}#{tmp_path}"


def test_python_file_that_does_not_exist_is_refused(planner: str, make_env: MakeEnv) -> None:
    with pytest.raises(ValidationException, match=r"The Python file '/no/such\.py' does not exist"):
        make_env(planner).add_python_file("/no/such.py")
