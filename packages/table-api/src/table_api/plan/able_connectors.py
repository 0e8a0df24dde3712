"""Which installed connectors have an ability, for errors that say what to use instead."""

from __future__ import annotations

from typing import get_type_hints

from table_common.exceptions import TableError
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory

__all__ = ["able_connectors"]


def able_connectors(what: str, *abilities: type) -> str:
    """Returns a hint that names the connectors whose sinks have one of the abilities.

    A factory says what it makes by the type that ``create_dynamic_table_sink`` is declared to return.
    """
    names = [name for name in DynamicTableFactory.identifiers() if _makes(name, abilities)]
    if not names:
        return f"No installed connector takes {what}."
    return f"{what} is taken by the connector{'s' if len(names) > 1 else ''} {', '.join(repr(name) for name in names)}."


def _makes(identifier: str, abilities: tuple[type, ...]) -> bool:
    try:
        factory = DynamicTableFactory.discover(identifier)
        if not isinstance(factory, DynamicTableSinkFactory):
            return False
        made = get_type_hints(type(factory).create_dynamic_table_sink).get("return")
    except (TableError, NameError):  # one that cannot be loaded, or whose annotations cannot: the hint is about others
        return False
    return isinstance(made, type) and issubclass(made, abilities)
