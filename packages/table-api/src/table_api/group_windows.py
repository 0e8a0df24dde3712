"""Windows of time of the Table API, by which rows are grouped.

``table.window(Tumble.over(lit(10).minutes).on(col("ts")).alias("w")).group_by(col("w")).select(col("w").start, col("a").sum)``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.node_holder import built_in, name_of, to_unresolved
from table_api.expressions.unresolved import Alias, Call, Literal, Reference, Star, UnresolvedExpression
from table_api.grouped_table import AggregatedTable
from table_common.exceptions import ValidationException
from table_common.tree import transform_up

__all__ = [
    "GroupWindow",
    "GroupWindowedTable",
    "Session",
    "SessionWithGap",
    "SessionWithGapOnTime",
    "Slide",
    "SlideWithSize",
    "SlideWithSizeAndSlide",
    "SlideWithSizeAndSlideOnTime",
    "Tumble",
    "TumbleWithSize",
    "TumbleWithSizeOnTime",
    "WindowGroupedTable",
]

_T = TypeVar("_T")
_PROPERTIES = ("start", "end", "rowtime", "proctime")


class GroupWindow:
    """A window with a name, for ``Table.window``."""

    def __init__(self, alias: str, function: str, arguments: Sequence[UnresolvedExpression]) -> None:
        """``function`` is what SQL calls the window in GROUP BY, with these arguments."""
        self._alias = alias
        self._function = function
        self._arguments = tuple(arguments)

    @property
    def name(self) -> str:
        """The alias."""
        return self._alias

    def in_place_of_alias(self, tree: UnresolvedExpression) -> UnresolvedExpression:
        """Returns an expression in which SQL's functions of the window stand for the alias and what is asked of it."""
        window = Call(built_in(self._function), self._arguments)

        def change(node: UnresolvedExpression) -> UnresolvedExpression:
            if isinstance(node, Reference) and node.path == (self._alias,):
                return window
            if (name := self._property_of(node, window)) is not None:
                return Call(built_in(f"{self._function}_{name.upper()}"), self._arguments)
            return node

        return transform_up(tree, UnresolvedExpression, change)

    def with_columns_of_properties(self, trees: Sequence[UnresolvedExpression]) -> tuple[list[UnresolvedExpression], list[Alias]]:
        """Returns expressions in which columns stand for what is asked of the alias, and these columns with SQL's functions of the window."""
        reference = Reference((self._alias,))
        columns: dict[str, Alias] = {}

        def change(node: UnresolvedExpression) -> UnresolvedExpression:
            if (name := self._property_of(node, reference)) is None:
                return node
            column = f"${self._alias}.{name}"
            columns[column] = Alias(Call(built_in(f"{self._function}_{name.upper()}"), self._arguments), column)
            return Reference((column,))

        changed = [transform_up(tree, UnresolvedExpression, change) for tree in trees]
        for i, tree in enumerate(changed):
            if isinstance(tree, Reference) and tree.path[0] in columns:
                changed[i] = Alias(tree, f"_c{i}")  # as an expression without a name is called
            elif isinstance(tree, Star):
                changed[i] = Star(tree.qualifier, (*tree.excluded, *columns))
        return changed, list(columns.values())

    def _property_of(self, node: UnresolvedExpression, window: UnresolvedExpression) -> str | None:
        """Returns what a node asks of the window, None if it is another node."""
        if not isinstance(node, Call) or node.function is not built_in("GET") or node.args[0] != window:
            return None
        field = node.args[1]
        if isinstance(field, Literal) and isinstance(field.value, str) and field.value in _PROPERTIES:
            return field.value
        raise ValidationException(f"A window knows its {', '.join(_PROPERTIES)}, but '{self._alias}' was asked for something else.")


class Tumble:
    """Windows of one length, one after the other."""

    @classmethod
    def over(cls, size: Expression) -> TumbleWithSize:
        """Returns windows of this length, such as ``lit(10).minutes``."""
        return TumbleWithSize(to_unresolved(size))


class TumbleWithSize:
    """Tumbling windows of which the time column is to be said."""

    def __init__(self, size: UnresolvedExpression) -> None:
        self._size = size

    def on(self, time_field: Expression) -> TumbleWithSizeOnTime:
        """Returns the windows over the times in this column."""
        return TumbleWithSizeOnTime((to_unresolved(time_field), self._size))


class TumbleWithSizeOnTime:
    """Tumbling windows of which the name is to be said."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows under a name."""
        return GroupWindow(name_of(alias), "TUMBLE", self._arguments)


class Slide:
    """Windows of one length that begin at shorter distances, so that they overlap."""

    @classmethod
    def over(cls, size: Expression) -> SlideWithSize:
        """Returns windows of this length, such as ``lit(10).minutes``."""
        return SlideWithSize(to_unresolved(size))


class SlideWithSize:
    """Sliding windows of which the distance is to be said."""

    def __init__(self, size: UnresolvedExpression) -> None:
        self._size = size

    def every(self, slide: Expression) -> SlideWithSizeAndSlide:
        """Returns the windows of which one begins at each multiple of this distance."""
        return SlideWithSizeAndSlide((to_unresolved(slide), self._size))


class SlideWithSizeAndSlide:
    """Sliding windows of which the time column is to be said."""

    def __init__(self, lengths: Sequence[UnresolvedExpression]) -> None:
        self._lengths = tuple(lengths)

    def on(self, time_field: Expression) -> SlideWithSizeAndSlideOnTime:
        """Returns the windows over the times in this column."""
        return SlideWithSizeAndSlideOnTime((to_unresolved(time_field), *self._lengths))


class SlideWithSizeAndSlideOnTime:
    """Sliding windows of which the name is to be said."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows under a name."""
        return GroupWindow(name_of(alias), "HOP", self._arguments)


class Session:
    """Windows of rows that follow each other closely."""

    @classmethod
    def with_gap(cls, gap: Expression) -> SessionWithGap:
        """Returns windows that end where nothing comes for this long, such as ``lit(10).minutes``."""
        return SessionWithGap(to_unresolved(gap))


class SessionWithGap:
    """Sessions of which the time column is to be said."""

    def __init__(self, gap: UnresolvedExpression) -> None:
        self._gap = gap

    def on(self, time_field: Expression) -> SessionWithGapOnTime:
        """Returns the windows over the times in this column."""
        return SessionWithGapOnTime((to_unresolved(time_field), self._gap))


class SessionWithGapOnTime:
    """Sessions of which the name is to be said."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows under a name."""
        return GroupWindow(name_of(alias), "SESSION", self._arguments)


_Aggregate = Callable[[Sequence[UnresolvedExpression], tuple[Expression, ...]], _T]
_WithCall = Callable[[Sequence[UnresolvedExpression], object, tuple[Expression, ...]], _T]


class GroupWindowedTable(Generic[_T]):
    """A table with a window; ``group_by`` says what its rows are grouped by, the window among it."""

    def __init__(
        self,
        window: GroupWindow,
        trees: Callable[[tuple[Expression, ...]], Sequence[UnresolvedExpression]],
        aggregate: _Aggregate[_T],
        with_call: _WithCall[_T],
    ) -> None:
        """``trees`` reads expressions over the table, ``aggregate`` makes the table of the grouping and of what is selected.

        ``with_call`` does so with an aggregate function in between, whose result is selected from.
        """
        self._window = window
        self._trees = trees
        self._aggregate = aggregate
        self._with_call = with_call

    def group_by(self, *fields: Expression) -> WindowGroupedTable[_T]:
        """Returns the groups of rows in the same window with equal values.

        Raises:
            ValidationException: the alias of the window is not among the expressions.
        """
        group_by = self._trees(fields)
        name = self._window.name
        if sum(isinstance(tree, Reference) and tree.path == (name,) for tree in group_by) != 1:
            raise ValidationException(
                f"group_by after window takes the alias of the window once, which is '{name}'.", hint=f"group_by(col({name!r}))"
            )
        return WindowGroupedTable(group_by, self._aggregate, self._with_call)


class WindowGroupedTable(Generic[_T]):
    """The groups of a table's rows in windows; ``select`` makes one row of each."""

    def __init__(self, group_by: Sequence[UnresolvedExpression], aggregate: _Aggregate[_T], with_call: _WithCall[_T]) -> None:
        self._group_by = tuple(group_by)
        self._aggregate = aggregate
        self._with_call = with_call

    def select(self, *fields: Expression) -> _T:
        """Returns one row per window and group: grouping expressions, ``col("w").start`` and its like, and aggregates."""
        return self._aggregate(self._group_by, fields)

    def aggregate(self, func: object) -> AggregatedTable[_T]:
        """Returns the groups with the result of a user aggregate: its call, perhaps with names (``alias``), or the function itself.

        The ``select`` that follows takes grouping expressions, ``col("w").start`` and its like, and the columns of the result.
        """
        return AggregatedTable(lambda fields: self._with_call(self._group_by, func, fields))
