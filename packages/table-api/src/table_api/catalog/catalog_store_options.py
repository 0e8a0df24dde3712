"""The options that choose the catalog store of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.configuration import ConfigOptions, ReadableConfig
from table_common.factories import CatalogStoreFactory

if TYPE_CHECKING:
    from table_common.catalog import CatalogStore

CATALOG_STORE_KIND = (
    ConfigOptions.key("table.catalog-store.kind")
    .string_type()
    .default_value("generic_in_memory")
    .with_description(
        "Where CREATE CATALOG stores catalogs: 'generic_in_memory' for this session, 'file' for all programs that use the same folder."
    )
)


def catalog_store_of(configuration: ReadableConfig) -> CatalogStore:
    """Returns the store that ``table.catalog-store.kind`` names, with the options ``table.catalog-store.<kind>.…``, without opening it.

    Raises:
        ValidationException: the store is not installed, or an option of it is wrong.
    """
    kind = configuration.get(CATALOG_STORE_KIND)
    prefix = f"table.catalog-store.{kind}."
    options = {key.removeprefix(prefix): value for key, value in configuration.to_map().items() if key.startswith(prefix)}
    return CatalogStoreFactory.discover(kind).create_catalog_store(CatalogStoreFactory.Context(options, configuration))
