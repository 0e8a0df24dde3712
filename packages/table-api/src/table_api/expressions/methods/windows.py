"""Properties of the windows of ``Table.window``."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder


class WindowMethods(NodeHolder):
    """Of ``col("w")``, where ``w`` is the alias of a window. Of a row these are its fields of that name."""

    __slots__ = ()

    @property
    def start(self) -> Self:
        """Returns the start of the window, inclusive."""
        return self._call("GET", "start")

    @property
    def end(self) -> Self:
        """Returns the end of the window, exclusive."""
        return self._call("GET", "end")

    @property
    def rowtime(self) -> Self:
        """Returns the last millisecond of the window, the event time of the window's row."""
        return self._call("GET", "rowtime")

    @property
    def proctime(self) -> Self:
        """Returns the processing time of the window's row."""
        return self._call("GET", "proctime")
