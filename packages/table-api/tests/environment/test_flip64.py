"""The methods and rules of FLIP-64, each by a test of its name; docs/reference/flip64.md says what stands for what."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from table_api import (
    CatalogException,
    DataTypes,
    EnvironmentSettings,
    ScalarFunction,
    Schema,
    Table,
    TableDescriptor,
    TableEnvironment,
    TableException,
    ValidationException,
)
from table_api.udf import udf
from table_common.types import BigIntType

OPTIONS = "WITH ('connector' = 'datagen')"
PERMANENT, TEMPORARY = "on_disk", "in_session"


class Twice(ScalarFunction):
    """Two times a number."""

    def eval(self, value: int) -> int:
        """Returns it."""
        return 2 * value


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    """An environment without any engine, whose table t and view v have one column that says that they are permanent."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql(f"CREATE TABLE t ({PERMANENT} INT) {OPTIONS}")
        environment.execute_sql(f"CREATE VIEW v AS SELECT {PERMANENT} FROM t")
        yield environment


def _temporary(env: TableEnvironment) -> Table:
    return env.from_values((1,)).alias(TEMPORARY)


def _columns(env: TableEnvironment, path: str) -> tuple[str, ...]:
    return env.from_path(path).get_resolved_schema().column_names


# --- suggested methods ------------------------------------------------------------------------------------------------------------


def test_create_temporary_view(env: TableEnvironment) -> None:
    env.create_temporary_view("t", _temporary(env))
    assert _columns(env, "t") == (TEMPORARY,)


def test_create_temporary_view_in_a_catalog_that_does_not_exist(env: TableEnvironment) -> None:
    env.create_temporary_view("nowhere.no_db.x", _temporary(env))
    assert _columns(env, "nowhere.no_db.x") == (TEMPORARY,)


def test_create_view(env: TableEnvironment) -> None:
    env.create_view("w", env.from_path("t"))
    assert _columns(env, "default_catalog.default_database.w") == (PERMANENT,)


def test_create_temporary_function_of_a_class(env: TableEnvironment) -> None:
    env.create_temporary_function("c.d.twice", Twice)
    assert env.list_temporary_functions() == []
    assert env.sql_query("SELECT c.d.twice(3)").get_resolved_schema().column_types[0].not_null() == BigIntType(nullable=False)


def test_create_temporary_function_of_an_object(env: TableEnvironment) -> None:
    env.create_temporary_function("default_database.twice", Twice())
    assert "twice" in env.list_temporary_functions()


def test_create_temporary_function_of_one_part_is_a_system_function(env: TableEnvironment) -> None:
    env.create_temporary_function("upper", udf(len, result_type="BIGINT"))
    env.execute_sql("CREATE DATABASE other")
    env.use_database("other")
    assert env.sql_query("SELECT upper('x')").get_resolved_schema().column_types[0].not_null() == BigIntType(nullable=False)


def test_create_temporary_function_of_sql_is_a_catalog_function(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("functions_of_flip64")
    monkeypatch.setattr(module, "Twice", Twice, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    env.execute_sql("CREATE TEMPORARY FUNCTION twice AS 'functions_of_flip64.Twice'")
    assert "twice" in env.list_functions()
    env.execute_sql("CREATE DATABASE other")
    env.use_database("other")
    assert "twice" not in env.list_functions()


def test_create_temporary_table(env: TableEnvironment) -> None:
    schema = Schema.new_builder().column(TEMPORARY, DataTypes.INT()).build()
    env.create_temporary_table("t", TableDescriptor.for_connector("no_such_connector").schema(schema).build())
    assert _columns(env, "t") == (TEMPORARY,)  # the connector is looked up at the first use


def test_create_temporary_table_as_select_is_refused(env: TableEnvironment) -> None:
    with pytest.raises((ValidationException, TableException), match="CREATE TEMPORARY VIEW"):
        env.execute_sql(f"CREATE TEMPORARY TABLE x {OPTIONS} AS SELECT 1 AS a")


@pytest.mark.parametrize("drop", ["drop_temporary_view", "drop_temporary_table", "drop_temporary_function"])
def test_drop_temporary_says_whether_there_was_one(env: TableEnvironment, drop: str) -> None:
    assert getattr(env, drop)("x") is False
    env.create_temporary_function("x", Twice)
    if drop == "drop_temporary_view":
        env.create_temporary_view("x", _temporary(env))
    if drop == "drop_temporary_table":
        env.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) {OPTIONS}")
    assert getattr(env, drop)("x") is True
    assert getattr(env, drop)("x") is False


@pytest.mark.parametrize(("drop", "name"), [("drop_temporary_view", "v"), ("drop_temporary_table", "t"), ("drop_temporary_table", "v")])
def test_drop_temporary_never_touches_permanent_objects(env: TableEnvironment, drop: str, name: str) -> None:
    assert getattr(env, drop)(name) is False
    assert _columns(env, name) == (PERMANENT,)


def test_drop_temporary_view_leaves_a_temporary_table(env: TableEnvironment) -> None:
    env.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) {OPTIONS}")
    assert env.drop_temporary_view("x") is False
    assert env.list_temporary_tables() == ["x"]


def test_dropping_the_temporary_object_shows_the_permanent_one(env: TableEnvironment) -> None:
    env.create_temporary_view("t", _temporary(env))
    env.drop_temporary_view("t")
    assert _columns(env, "t") == (PERMANENT,)


@pytest.mark.parametrize(("drop", "name"), [("drop_table", "t"), ("drop_view", "v")])
def test_drop_of_a_permanent_object_under_a_temporary_one_is_an_error(env: TableEnvironment, drop: str, name: str) -> None:
    env.create_temporary_view(name, _temporary(env))
    with pytest.raises(CatalogException, match="hides the object that would be dropped"):
        getattr(env, drop)(name)


def test_drop_function_under_a_temporary_one_is_an_error(env: TableEnvironment) -> None:
    env.create_function("f", "some.module.F")
    env.create_temporary_function("default_database.f", Twice)
    with pytest.raises(CatalogException, match="A temporary function hides"):
        env.drop_function("f")


def test_list_temporary_tables(env: TableEnvironment) -> None:
    env.create_temporary_view("t", _temporary(env))
    env.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) {OPTIONS}")
    assert env.list_temporary_tables() == ["t", "x"]


def test_list_temporary_views(env: TableEnvironment) -> None:
    env.create_temporary_view("t", _temporary(env))
    env.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) {OPTIONS}")
    assert env.list_temporary_views() == ["t"]


def test_list_temporary_functions(env: TableEnvironment) -> None:
    env.create_temporary_system_function("a", Twice)
    env.create_temporary_function("default_database.b", Twice)
    env.create_temporary_function("elsewhere.c", Twice)
    env.create_function("d", "some.module.F")
    assert env.list_temporary_functions() == ["a", "b"]


def test_list_tables_has_a_hidden_name_once(env: TableEnvironment) -> None:
    env.create_temporary_view("t", _temporary(env))
    assert env.list_tables() == ["t", "v"]


def test_list_tables_without_temporary_ones(env: TableEnvironment) -> None:
    env.create_temporary_view("x", _temporary(env))
    assert (env.list_tables(temporary=False), env.list_views(temporary=False)) == (["t", "v"], ["v"])


def test_list_functions_without_temporary_ones(env: TableEnvironment) -> None:
    env.create_temporary_system_function("twice", Twice)
    env.create_function("d", "some.module.F")
    names = env.list_functions(temporary=False)
    assert "twice" not in names
    assert {"d", "upper"} <= set(names)


def test_from_path(env: TableEnvironment) -> None:
    assert _columns(env, "`default_catalog`.default_database.t") == (PERMANENT,)


def test_insert_into_of_the_environment_and_of_a_table(env: TableEnvironment) -> None:
    table = env.from_path("t")
    assert str(env.insert_into("t", table).get_sink_identifier()) == str(table.insert_into("t").get_sink_identifier())


# --- deprecated and removed methods -------------------------------------------------------------------------------------------------


def test_register_table_forwards_with_a_warning(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="create_temporary_view"):
        env.register_table("with.point", _temporary(env))
    assert env.list_temporary_views() == ["with.point"]


def test_register_function_forwards_with_a_warning(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="create_temporary_system_function"):
        env.register_function("twice", Twice())
    assert env.list_temporary_functions() == ["twice"]


def test_scan_forwards_with_a_warning(env: TableEnvironment) -> None:
    with pytest.warns(DeprecationWarning, match="from_path"):
        table = env.scan("default_catalog", "default_database", "t")
    assert table.get_resolved_schema().column_names == (PERMANENT,)


@pytest.mark.parametrize("method", ["register_table_source", "register_table_sink"])
def test_register_table_source_and_sink_say_what_stands_in_their_place(env: TableEnvironment, method: str) -> None:
    with pytest.raises(ValidationException, match=r"CREATE TEMPORARY TABLE `x` .* WITH"):
        getattr(env, method)("x", object())


def test_connect_says_what_stands_in_its_place(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="TableDescriptor"):
        env.connect(object())


def test_insert_into_of_several_parts_does_not_exist(env: TableEnvironment) -> None:
    table = env.from_path("t")
    with pytest.raises(TypeError):
        env.insert_into(table, "default_catalog", "default_database", "t")  # type: ignore[call-arg, arg-type]  # the form that was dropped


# --- paths and functions ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["a.b.c.d", "a..b", "", "a.", "`a"])
def test_a_path_has_one_to_three_parts(env: TableEnvironment, path: str) -> None:
    with pytest.raises(ValidationException, match="not the name of an object"):
        env.from_path(path)


def test_back_ticks_enclose_and_are_doubled(env: TableEnvironment) -> None:
    env.create_temporary_view("`a.b``c`", _temporary(env))
    assert env.list_temporary_views() == ["a.b`c"]


def test_paths_are_expanded_when_a_name_is_used(env: TableEnvironment) -> None:
    env.execute_sql("CREATE DATABASE other")
    env.create_temporary_view("other.t", _temporary(env))
    env.use_database("other")
    assert _columns(env, "t") == (TEMPORARY,)


def test_functions_are_resolved_in_four_steps(env: TableEnvironment) -> None:
    types = []
    env.create_function("default_database.md5", f"{Twice.__module__}.Nothing")
    types.append(env.sql_query("SELECT md5('x')").get_resolved_schema().column_types[0])
    env.create_temporary_function("default_database.md5", udf(len, result_type="DOUBLE"))
    types.append(env.sql_query("SELECT md5('x')").get_resolved_schema().column_types[0])
    env.create_temporary_system_function("md5", udf(len, result_type="FLOAT"))
    types.append(env.sql_query("SELECT md5('x')").get_resolved_schema().column_types[0])
    types.append(env.sql_query("SELECT default_database.md5('x')").get_resolved_schema().column_types[0])
    assert [type(t).ROOT for t in types] == ["CHAR", "CHAR", "FLOAT", "DOUBLE"]


def test_create_function_is_lazy(env: TableEnvironment) -> None:
    env.create_function("missing", "com.nope.F")
    assert "missing" in env.list_user_defined_functions()
    with pytest.raises(ValidationException, match=r"module 'com\.nope' does not exist"):
        env.sql_query("SELECT missing(1)")


def test_create_function_takes_classes_of_modules_only(env: TableEnvironment) -> None:
    class Local(ScalarFunction):
        """A function that no other program can import."""

    with pytest.raises(ValidationException, match="No other program can import"):
        env.create_function("f", Local)
    with pytest.raises(ValidationException, match="got an object of Twice"):
        env.create_function("f", Twice())  # type: ignore[arg-type]  # on purpose
