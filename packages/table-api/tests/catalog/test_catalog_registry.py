"""The registry of catalogs: registered catalogs, and those of a store, which are opened at first use."""

from __future__ import annotations

import pytest

from table_api.catalog import GenericInMemoryCatalog, GenericInMemoryCatalogStore
from table_api.catalog.catalog_registry import CatalogRegistry
from table_common.catalog import CatalogDescriptor
from table_common.configuration import Configuration
from table_common.exceptions import CatalogException, ValidationException
from table_common.frozen_dataclass import replace

IN_MEMORY = CatalogDescriptor({"type": "generic_in_memory"}, "a catalog")


@pytest.fixture
def store() -> GenericInMemoryCatalogStore:
    return GenericInMemoryCatalogStore()


@pytest.fixture
def registry(store: GenericInMemoryCatalogStore) -> CatalogRegistry:
    registry = CatalogRegistry(lambda: store, Configuration(), {})
    registry.register("own", GenericInMemoryCatalog("own"))
    return registry


def test_a_created_catalog_is_stored_with_its_descriptor(registry: CatalogRegistry, store: GenericInMemoryCatalogStore) -> None:
    registry.create("c", IN_MEMORY)
    assert (store.get_catalog("c"), registry.descriptor("c"), registry.descriptor("own")) == (IN_MEMORY, IN_MEMORY, None)
    assert list(registry) == ["c", "own"]


def test_a_catalog_of_the_store_is_opened_once(registry: CatalogRegistry, store: GenericInMemoryCatalogStore) -> None:
    store.store_catalog("stored", IN_MEMORY)
    assert registry.get("stored") is registry.get("stored")


def test_a_stored_catalog_that_cannot_be_created_is_named(registry: CatalogRegistry, store: GenericInMemoryCatalogStore) -> None:
    store.store_catalog("broken", CatalogDescriptor({"type": "nope"}, None))
    with pytest.raises(ValidationException, match="Catalog 'broken' of the catalog store cannot be opened"):
        registry.get("broken")


@pytest.mark.parametrize(("name", "message"), [("own", "exists already"), ("", "is empty")])
def test_a_new_name_is_needed(registry: CatalogRegistry, name: str, message: str) -> None:
    with pytest.raises(CatalogException, match=message):
        registry.create(name, IN_MEMORY)


def test_a_catalog_without_a_type_is_refused(registry: CatalogRegistry) -> None:
    with pytest.raises(ValidationException, match=r"Catalog 'c' needs the option 'type'\. Accepted: .*generic_in_memory"):
        registry.create("c", CatalogDescriptor({}, None))


def test_a_failed_change_keeps_the_old_catalog(registry: CatalogRegistry) -> None:
    registry.create("c", IN_MEMORY)
    before = registry.get("c")
    with pytest.raises(ValidationException):
        registry.alter("c", lambda old: replace(old, options={**old.options, "nope": "1"}))
    assert (registry.get("c"), registry.descriptor("c")) == (before, IN_MEMORY)


def test_a_registered_object_has_no_options_to_alter(registry: CatalogRegistry) -> None:
    with pytest.raises(CatalogException, match="was registered as an object"):
        registry.alter("own", lambda old: old)


def test_a_dropped_catalog_is_gone_from_the_store(registry: CatalogRegistry, store: GenericInMemoryCatalogStore) -> None:
    registry.create("c", IN_MEMORY)
    registry.drop("c")
    assert (registry.find("c"), store.get_catalog("c")) == (None, None)
    with pytest.raises(CatalogException, match="Catalog 'c' does not exist"):
        registry.drop("c")
