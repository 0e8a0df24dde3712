from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from table_api.catalog import CatalogDescriptor, CatalogManager, GenericInMemoryCatalog
from table_api.delegation import FoundTable, FoundView
from table_common.catalog import CatalogDatabase, CatalogTable, CatalogView, ObjectIdentifier, Schema
from table_common.exceptions import CatalogException, ValidationException

SCHEMA = Schema.new_builder().column("a", "INT").build()
TABLE = CatalogTable(SCHEMA, None, {"connector": "x"})
OTHER = CatalogTable(Schema.new_builder().column("b", "STRING").build(), None, {"connector": "x"})
VIEW = CatalogView(SCHEMA, None, {}, "SELECT 1 AS a", "SELECT 1 AS a")


@pytest.fixture
def manager() -> CatalogManager:
    return CatalogManager()


def _id(name: str, database: str = "default_database") -> ObjectIdentifier:
    return ObjectIdentifier("default_catalog", database, name)


def test_names_are_completed_with_what_is_current(manager: CatalogManager) -> None:
    assert manager.qualify(("t",)) == _id("t")
    assert manager.qualify(("d", "t")) == _id("t", "d")
    assert manager.qualify(("c", "d", "t")) == ObjectIdentifier("c", "d", "t")


@pytest.mark.parametrize("path", [(), ("a", "b", "c", "d"), ("a", "")])
def test_names_of_no_or_too_many_parts_are_refused(manager: CatalogManager, path: tuple[str, ...]) -> None:
    with pytest.raises(ValidationException, match="accepted"):
        manager.qualify(path)


def test_temporary_table_hides_the_permanent_one(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    manager.create_table(_id("t"), OTHER, is_temporary=True)
    found = manager.find_table(("t",))
    assert isinstance(found, FoundTable)
    assert (found.table.origin, found.is_temporary) == (OTHER, True)


def test_permanent_table_cannot_be_dropped_while_it_is_hidden(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    manager.create_table(_id("t"), OTHER, is_temporary=True)
    with pytest.raises(CatalogException, match="hides the object that would be dropped"):
        manager.drop_table(_id("t"))


def test_dropping_the_temporary_table_shows_the_permanent_one_again(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    manager.create_table(_id("t"), OTHER, is_temporary=True)
    assert manager.drop_table(_id("t"), is_temporary=True)
    found = manager.find_table(("t",))
    assert isinstance(found, FoundTable)
    assert found.table.origin == TABLE


def test_temporary_table_needs_no_catalog(manager: CatalogManager) -> None:
    manager.create_table(ObjectIdentifier("no", "where", "t"), TABLE, is_temporary=True)
    assert manager.find_table(("no", "where", "t")) is not None
    assert manager.list_tables("no", "where") == ["t"]


def test_hidden_name_is_listed_once(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    manager.create_table(_id("t"), OTHER, is_temporary=True)
    manager.create_table(_id("v"), VIEW)
    assert manager.list_tables() == ["t", "v"]
    assert manager.list_views() == ["v"]
    assert manager.list_temporary_tables() == ["t"]


def test_view_of_sql_gives_its_query(manager: CatalogManager) -> None:
    manager.create_table(_id("v"), VIEW)
    found = manager.find_table(("v",))
    assert isinstance(found, FoundView)
    assert (found.query, found.schema and found.schema.column_names) == ("SELECT 1 AS a", ("a",))


def test_existing_table_is_not_replaced(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    with pytest.raises(CatalogException, match="exists already"):
        manager.create_table(_id("t"), OTHER)
    manager.create_table(_id("t"), OTHER, ignore_if_exists=True)
    found = manager.find_table(("t",))
    assert isinstance(found, FoundTable)
    assert found.table.origin == TABLE


def test_replacing_takes_the_place_of_a_view_only(manager: CatalogManager) -> None:
    manager.create_table(_id("v"), VIEW)
    manager.create_table(_id("v"), CatalogView(SCHEMA, "new"), replace=True)
    manager.create_table(_id("t"), TABLE)
    with pytest.raises(CatalogException, match="cannot become a view"):
        manager.create_table(_id("t"), VIEW, replace=True)


def test_drop_view_refuses_a_table(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    with pytest.raises(CatalogException, match="is a table, not a view"):
        manager.drop_table(_id("t"), is_view=True)


def test_dropping_nothing_is_said_or_ignored(manager: CatalogManager) -> None:
    assert manager.drop_table(_id("t"), ignore_if_not_exists=True) is False
    assert manager.drop_table(_id("t", "nowhere"), ignore_if_not_exists=True) is False
    with pytest.raises(CatalogException, match=r"'t' does not exist in default_catalog\.default_database"):
        manager.drop_table(_id("t"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("order",), "Table or view 'order' does not exist in default_catalog.default_database. Did you mean 'orders'?"),
        (("default_databas", "orders"), "Database 'default_databas' does not exist in catalog 'default_catalog'. Did you mean"),
        (("c", "d", "orders"), "Catalog 'c' does not exist. Available: default_catalog."),
    ],
)
def test_unknown_table_says_which_part_is_unknown(manager: CatalogManager, path: tuple[str, ...], message: str) -> None:
    manager.create_table(_id("orders"), TABLE)
    assert str(manager.table_not_found(path)).startswith(message)


def test_current_database_and_catalog_cannot_be_dropped(manager: CatalogManager) -> None:
    with pytest.raises(CatalogException, match="is in use"):
        manager.drop_database("default_catalog", "default_database")
    with pytest.raises(CatalogException, match="is in use"):
        manager.drop_catalog("default_catalog")


def test_database_that_holds_tables_is_dropped_with_cascade_only(manager: CatalogManager) -> None:
    manager.create_database("default_catalog", "d", CatalogDatabase())
    manager.create_table(_id("t", "d"), TABLE)
    with pytest.raises(CatalogException, match="not empty"):
        manager.drop_database("default_catalog", "d")
    manager.drop_database("default_catalog", "d", cascade=True)
    assert manager.list_databases() == ["default_database"]


def test_database_that_holds_temporary_tables_only_is_dropped(manager: CatalogManager) -> None:
    manager.create_database("default_catalog", "d", CatalogDatabase())
    manager.create_table(_id("t", "d"), TABLE, is_temporary=True)
    manager.drop_database("default_catalog", "d")
    assert manager.list_databases() == ["default_database"]


def test_using_a_catalog_makes_its_default_database_current(manager: CatalogManager) -> None:
    manager.register_catalog("c2", GenericInMemoryCatalog("c2", "main"))
    manager.set_current_catalog("c2")
    assert (manager.current_catalog, manager.current_database) == ("c2", "main")


def test_catalog_is_made_by_the_factory_of_its_type(manager: CatalogManager) -> None:
    manager.create_catalog("c2", CatalogDescriptor({"type": "generic_in_memory", "default-database": "main"}))
    assert manager.list_databases("c2") == ["main"]


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "needs the option 'type'"), ({"type": "nope"}, "No catalog 'nope'"), ({"type": "generic_in_memory", "x": "1"}, "unknown: 'x'")],
)
def test_catalog_of_wrong_options_is_refused(manager: CatalogManager, options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        manager.create_catalog("c2", CatalogDescriptor(options))


def test_temporary_table_is_neither_altered_nor_renamed(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE, is_temporary=True)
    with pytest.raises(CatalogException, match="altered"):
        manager.alter_table(_id("t"), OTHER)
    with pytest.raises(CatalogException, match="renamed"):
        manager.rename_table(_id("t"), "u")


def test_renaming_to_a_name_that_exists_is_refused(manager: CatalogManager) -> None:
    manager.create_table(_id("t"), TABLE)
    manager.create_table(_id("u"), TABLE)
    with pytest.raises(CatalogException, match="exists already"):
        manager.rename_table(_id("t"), "u")


def test_tables_are_created_from_several_threads(manager: CatalogManager) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: manager.create_table(_id(f"t{n}"), TABLE), range(200)))
    assert len(manager.list_tables()) == 200


def test_only_one_thread_creates_a_table(manager: CatalogManager) -> None:
    def create(_: int) -> bool:
        try:
            manager.create_table(_id("t"), TABLE)
        except CatalogException:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(create, range(50))) == 1
