"""How a catalog is declared."""

from __future__ import annotations

from collections.abc import Mapping

from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class CatalogDescriptor:
    """How a catalog was declared; ``options`` has its ``type``, and references such as ``${env:NAME}`` as they were written.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogDescriptor``.

    Example:
        >>> CatalogDescriptor.of("sales", {"type": "sqlite", "path": "catalog.db"}).options["type"]
        'sqlite'
    """

    options: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    @staticmethod
    def of(catalog_name: str, configuration: ReadableConfig | Mapping[str, str], comment: str | None = None) -> CatalogDescriptor:
        """Returns a descriptor. ``catalog_name`` has no effect: ``TableEnvironment.create_catalog`` takes the name."""
        options = configuration.to_map() if isinstance(configuration, ReadableConfig) else dict(configuration)
        return CatalogDescriptor(options, comment)
