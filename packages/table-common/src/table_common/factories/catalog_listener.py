"""Factories of listeners of catalogs."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from table_common.configuration import ReadableConfig
from table_common.factories.factory import Factory
from table_common.frozen_dataclass import dataclass, field

if TYPE_CHECKING:
    from table_common.catalog import CatalogModificationListener


class CatalogModificationListenerFactory(Factory):
    """Makes listeners; the entry point's name is what ``table.catalog-modification.listeners`` lists.

    Source: Flink's ``org.apache.flink.table.catalog.listener.CatalogModificationListenerFactory``.

    Example:
        >>> class AuditFactory(CatalogModificationListenerFactory):
        ...     factory_identifier = "audit"
        ...     def create_listener(self, context):
        ...         return Audit(context.configuration.to_map()["audit.file"])
        >>> AuditFactory.GROUP
        'table.catalog-listeners'
    """

    GROUP: ClassVar[str] = "table.catalog-listeners"
    KIND: ClassVar[str] = "catalog listener"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The session's configuration."""

        configuration: ReadableConfig = field(default_factory=ReadableConfig)

    @abstractmethod
    def create_listener(self, context: Context) -> CatalogModificationListener:
        """Returns a listener of one session.

        Raises:
            ValidationException: an option is missing or invalid.
        """
