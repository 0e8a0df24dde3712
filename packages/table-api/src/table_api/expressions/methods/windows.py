"""What a window of ``Table.window`` knows of itself."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder

__all__ = ["WindowMethods"]


class WindowMethods(NodeHolder):
    """Of ``col("w")``, where ``w`` is the alias of a window. Of a row these are its fields of that name."""

    __slots__ = ()

    @property
    def start(self) -> Self:
        """Returns when the window begins; it holds that moment."""
        return self._call("GET", "start")

    @property
    def end(self) -> Self:
        """Returns when the window ends; it does not hold that moment."""
        return self._call("GET", "end")

    @property
    def rowtime(self) -> Self:
        """Returns the last millisecond of the window, the event time of the window's row."""
        return self._call("GET", "rowtime")

    @property
    def proctime(self) -> Self:
        """Returns the processing time of the window's row."""
        return self._call("GET", "proctime")
