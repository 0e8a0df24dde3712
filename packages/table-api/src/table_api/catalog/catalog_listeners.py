"""The listeners of a session's catalogs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from table_common.catalog import (
    AlterDatabaseEvent,
    AlterTableEvent,
    CatalogModificationEvent,
    CreateDatabaseEvent,
    CreateTableEvent,
    DropDatabaseEvent,
    DropTableEvent,
    RenameTableEvent,
)
from table_common.configuration import ReadableConfig, TableConfigOptions
from table_common.factories import CatalogModificationListenerFactory as Factory


class CatalogEvents:
    """The classes of events, which only sessions with listeners import."""

    AlterDatabase = AlterDatabaseEvent
    AlterTable = AlterTableEvent
    CreateDatabase = CreateDatabaseEvent
    CreateTable = CreateTableEvent
    DropDatabase = DropDatabaseEvent
    DropTable = DropTableEvent
    RenameTable = RenameTableEvent


Told: TypeAlias = Callable[[Callable[[type[CatalogEvents]], CatalogModificationEvent]], None]
"""Takes what makes the event of a change."""


def listeners_of(configuration: ReadableConfig) -> Told:
    """Returns what tells the configured listeners of a change.

    Raises:
        ValidationException: a listener is not installed, or an option of it is wrong.
    """
    names = configuration.get(TableConfigOptions.TABLE_CATALOG_MODIFICATION_LISTENERS)
    context = Factory.Context(configuration)
    listeners = [Factory.discover(name).create_listener(context) for name in names]

    def tell(make_event: Callable[[type[CatalogEvents]], CatalogModificationEvent]) -> None:
        event = make_event(CatalogEvents)
        for each in listeners:
            each.on_event(event)

    return tell
