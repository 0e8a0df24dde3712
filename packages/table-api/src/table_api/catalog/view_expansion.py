"""Expansion of views: each view is resolved once per statement, and cycles of views are errors."""

from __future__ import annotations

import threading
from collections.abc import Callable

from table_api.delegation import FoundView
from table_api.operations import QueryOperation
from table_common.catalog import ObjectIdentifier
from table_common.exceptions import ValidationException
from table_common.tree import MAX_DEPTH


class CycleOfViews(ValidationException):
    """A view reads itself, directly or through other views."""

    @classmethod
    def through(cls, path: list[ObjectIdentifier]) -> CycleOfViews:
        """Returns the error for a cycle: each view of the path reads the next, and the last is the first."""
        names = " reads ".join(identifier.as_summary_string() for identifier in path)
        return cls(f"A view cannot read itself: {names}.", hint="change the query of one of them with ALTER VIEW, or drop it")


class _State(threading.local):
    """The views under expansion, outermost first, and the finished ones within the outermost."""

    def __init__(self) -> None:
        self.path: list[ObjectIdentifier] = []
        self.done: dict[tuple[ObjectIdentifier, str], QueryOperation] = {}


class ViewExpansion:
    """Expands the views of one session; the state is per thread."""

    def __init__(self) -> None:
        self._state = _State()

    def expand(self, view: FoundView, convert: Callable[[str], QueryOperation]) -> QueryOperation:
        """Returns the plan of a view's query; a view that is read several times is one shared subplan.

        Raises:
            ValidationException: the view reads itself, or views are nested too deep.
        """
        state, query = self._state, view.query or ""
        key = (view.identifier, query)
        known = state.done.get(key)
        if known is not None:
            return known
        if view.identifier in state.path:
            raise CycleOfViews.through([*state.path[state.path.index(view.identifier) :], view.identifier])
        if len(state.path) >= MAX_DEPTH:
            raise ValidationException(
                f"More than {MAX_DEPTH} views are nested in {state.path[0].as_summary_string()}.",
                hint="write the rows of one of them into a table",
            )
        state.path.append(view.identifier)
        try:
            result = state.done[key] = convert(query)
        finally:
            state.path.pop()
            if not state.path:
                state.done.clear()
        return result
