"""The installed connectors whose sinks have an ability, for the hints of errors."""

from __future__ import annotations

from typing import get_type_hints

from table_common.exceptions import TableError
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory


def connectors_supporting(what: str, *abilities: type) -> str:
    """Returns a hint that names the connectors whose sinks have one of the abilities.

    The class of a factory's sinks is the declared return type of ``create_dynamic_table_sink``.
    """
    names = [name for name in DynamicTableFactory.identifiers() if _makes(name, abilities)]
    if not names:
        return f"No installed connector supports {what}."
    return f"{what} is supported by the connector{'s' if len(names) > 1 else ''} {', '.join(repr(name) for name in names)}."


def _makes(identifier: str, abilities: tuple[type, ...]) -> bool:
    try:
        factory = DynamicTableFactory.discover(identifier)
        if not isinstance(factory, DynamicTableSinkFactory):
            return False
        sink_class = get_type_hints(type(factory).create_dynamic_table_sink).get("return")
    except (TableError, NameError):  # not loadable, or its annotations cannot be evaluated: left out of the hint
        return False
    return isinstance(sink_class, type) and issubclass(sink_class, abilities)
