"""Factories of catalogs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from table_common.catalog import Catalog
from table_common.configuration import ReadableConfig
from table_common.factories.factory import Factory
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import Gate, current_gate


class CatalogFactory(Factory):
    """Makes catalogs; the entry point's name is the ``type`` of CREATE CATALOG.

    Source: Flink's ``org.apache.flink.table.factories.CatalogFactory``.

    Example:
        >>> class InventoryFactory(CatalogFactory):
        ...     factory_identifier = "inventory"
        ...     def create_catalog(self, context):
        ...         return InventoryCatalog(context.name, context.options["url"])
        >>> CatalogFactory.Context("stock", {"url": "https://example.org"}).name
        'stock'
    """

    GROUP: ClassVar[str] = "table.catalogs"
    KIND: ClassVar[str] = "catalog"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The catalog that is made: its name, its options (without ``type``), the session's configuration, and what the environment was given.

        ``external`` has what a program handed to its environment, such as a SparkSession under ``spark``.
        """

        name: str
        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)
        external: Mapping[str, object] = field(default_factory=dict)

        @property
        def gate(self) -> Gate:
            """Makes what the options name, such as paths and URLs, into values that the restrictions of the session allow."""
            return current_gate()

    @abstractmethod
    def create_catalog(self, context: Context) -> Catalog:
        """Returns a catalog that is not open yet; validates its options.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
