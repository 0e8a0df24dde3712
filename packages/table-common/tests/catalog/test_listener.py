"""Events of catalogs."""

from __future__ import annotations

import pytest

from table_common.catalog import (
    CatalogModificationEvent,
    CatalogModificationListener,
    DropDatabaseEvent,
    DropTableEvent,
    ObjectIdentifier,
    RenameTableEvent,
)


def test_a_listener_has_on_event() -> None:
    with pytest.raises(TypeError, match="on_event"):
        CatalogModificationListener()  # type: ignore[abstract]


def test_events_are_values_with_the_name_of_the_catalog() -> None:
    identifier = ObjectIdentifier("lake", "db", "t")
    events: list[CatalogModificationEvent] = [
        DropDatabaseEvent("lake", "db", ignore_if_not_exists=False, cascade=True),
        DropTableEvent("lake", identifier, is_temporary=False),
        RenameTableEvent("lake", identifier, "u"),
    ]
    assert {event.catalog_name for event in events} == {"lake"}
    assert events[1] == DropTableEvent("lake", identifier, False)
    assert events[1] != DropTableEvent("lake", identifier, True)
