"""Factories of catalog stores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from table_common.configuration import ReadableConfig
from table_common.factories.factory import Factory
from table_common.frozen_dataclass import dataclass, field

if TYPE_CHECKING:
    from table_common.catalog import CatalogStore


class CatalogStoreFactory(Factory):
    """Makes catalog stores; the entry point's name is the value of ``table.catalog-store.kind``.

    Source: Flink's ``org.apache.flink.table.factories.CatalogStoreFactory``.

    Example:
        >>> class TableOfCatalogsFactory(CatalogStoreFactory):
        ...     factory_identifier = "table-of-catalogs"
        ...     def create_catalog_store(self, context):
        ...         return TableOfCatalogs(context.options["url"])
        >>> CatalogStoreFactory.Context({"url": "https://example.org"}).options["url"]
        'https://example.org'
    """

    GROUP: ClassVar[str] = "table.catalog-stores"
    KIND: ClassVar[str] = "catalog store"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The store's options, without the prefix ``table.catalog-store.<kind>.``, and the session's configuration."""

        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)

    @abstractmethod
    def create_catalog_store(self, context: Context) -> CatalogStore:
        """Returns a store that is not open yet; validates its options.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
