"""Group windows of the Table API: rows are grouped by time windows.

``table.window(Tumble.over(lit(10).minutes).on(col("ts")).alias("w")).group_by(col("w")).select(col("w").start, col("a").sum)``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from table_api.expressions import Expression
from table_api.expressions.node_holder import built_in, name_of, to_unresolved
from table_api.expressions.unresolved import Alias, Call, Literal, Reference, Star, UnresolvedExpression
from table_api.tables.grouped_table import AggregatedTable
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.tree import transform_up
from table_common.types import BigIntType, TimestampType

_T = TypeVar("_T")
_EPOCH = Literal(0, TimestampType(3, nullable=False))
_PROPERTIES = ("start", "end", "rowtime", "proctime")


class GroupWindow:
    """A group window with an alias, the argument of ``Table.window``."""

    def __init__(self, alias: str, function: str, arguments: Sequence[UnresolvedExpression]) -> None:
        """``function`` is SQL's group window function (TUMBLE, HOP or SESSION), called with ``arguments``."""
        self._alias = alias
        self._function = function
        self._arguments = tuple(arguments)

    @property
    def name(self) -> str:
        """The alias."""
        return self._alias

    def over_timestamps(self, schema: ResolvedSchema) -> GroupWindow:
        """Returns the window over timestamps if its time column is a BIGINT, milliseconds since 1970, as in Flink's batch mode; else itself."""
        time = self._arguments[0]
        column = schema.get_column(time.path[0]) if isinstance(time, Reference) and len(time.path) == 1 else None
        if column is None or not isinstance(column.data_type, BigIntType):
            return self
        timestamp = Call(built_in("PLUS"), (_EPOCH, to_unresolved(Expression(time).millis)))
        return GroupWindow(self._alias, self._function, (timestamp, *self._arguments[1:]))

    def in_place_of_alias(self, tree: UnresolvedExpression) -> UnresolvedExpression:
        """Replaces the alias by SQL's window function, and its properties (``start``, ``end``, …) by SQL's auxiliary functions."""
        window = Call(built_in(self._function), self._arguments)

        def change(node: UnresolvedExpression) -> UnresolvedExpression:
            if isinstance(node, Reference) and node.path == (self._alias,):
                return window
            if (name := self._property_of(node, window)) is not None:
                return Call(built_in(f"{self._function}_{name.upper()}"), self._arguments)
            return node

        return transform_up(tree, UnresolvedExpression, change)

    def with_columns_of_properties(self, trees: Sequence[UnresolvedExpression]) -> tuple[list[UnresolvedExpression], list[Alias]]:
        """Replaces properties of the alias (``start``, ``end``, …) by columns.

        Returns:
            The expressions over these columns, and the columns, each as an alias of SQL's auxiliary function.
        """
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
                changed[i] = Alias(tree, f"_c{i}")  # the name of an expression without an alias
            elif isinstance(tree, Star):
                changed[i] = Star(tree.qualifier, (*tree.excluded, *columns))
        return changed, list(columns.values())

    def _property_of(self, node: UnresolvedExpression, window: UnresolvedExpression) -> str | None:
        """Returns the property that a node reads of the window, or None for another node."""
        if not isinstance(node, Call) or node.function is not built_in("GET") or node.args[0] != window:
            return None
        field = node.args[1]
        if isinstance(field, Literal) and isinstance(field.value, str) and field.value in _PROPERTIES:
            return field.value
        raise ValidationException(
            f"The properties of the window '{self._alias}' are {', '.join(_PROPERTIES)}.", hint=f"col({self._alias!r}).start"
        )


class Tumble:
    """Tumbling windows: of one length, without gaps or overlap.

    Example:
        >>> Tumble.over(lit(10).minutes).on(col("ts")).alias("w").name
        'w'

    Source: PyFlink's ``pyflink.table.window.Tumble``.
    """

    @classmethod
    def over(cls, size: Expression) -> TumbleWithSize:
        """Returns tumbling windows of a length, such as ``lit(10).minutes``.

        Raises:
            ValidationException: the length is a number of rows.
        """
        return TumbleWithSize(_length(size))


class TumbleWithSize:
    """Tumbling windows before their time column is set."""

    def __init__(self, size: UnresolvedExpression) -> None:
        self._size = size

    def on(self, time_field: Expression) -> TumbleWithSizeOnTime:
        """Returns the windows with their time column, which must be a time attribute or, in batch mode, a timestamp or a BIGINT of milliseconds since 1970."""
        return TumbleWithSizeOnTime((to_unresolved(time_field), self._size))


class TumbleWithSizeOnTime:
    """Tumbling windows before their alias is set."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows with an alias for ``group_by`` and ``select``."""
        return GroupWindow(name_of(alias), "TUMBLE", self._arguments)


class Slide:
    """Sliding (hopping) windows: of one length, starting at a fixed interval; they overlap if the interval is shorter.

    Example:
        >>> Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts")).alias("w").name
        'w'

    Source: PyFlink's ``pyflink.table.window.Slide``.
    """

    @classmethod
    def over(cls, size: Expression) -> SlideWithSize:
        """Returns sliding windows of a length, such as ``lit(10).minutes``.

        Raises:
            ValidationException: the length is a number of rows.
        """
        return SlideWithSize(_length(size))


class SlideWithSize:
    """Sliding windows before their slide interval is set."""

    def __init__(self, size: UnresolvedExpression) -> None:
        self._size = size

    def every(self, slide: Expression) -> SlideWithSizeAndSlide:
        """Returns the windows with their slide interval: one starts at each multiple of it."""
        return SlideWithSizeAndSlide((to_unresolved(slide), self._size))


class SlideWithSizeAndSlide:
    """Sliding windows before their time column is set."""

    def __init__(self, lengths: Sequence[UnresolvedExpression]) -> None:
        self._lengths = tuple(lengths)

    def on(self, time_field: Expression) -> SlideWithSizeAndSlideOnTime:
        """Returns the windows with their time column, which must be a time attribute or, in batch mode, a timestamp or a BIGINT of milliseconds since 1970."""
        return SlideWithSizeAndSlideOnTime((to_unresolved(time_field), *self._lengths))


class SlideWithSizeAndSlideOnTime:
    """Sliding windows before their alias is set."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows with an alias for ``group_by`` and ``select``."""
        return GroupWindow(name_of(alias), "HOP", self._arguments)


class Session:
    """Session windows: a window ends when no row arrives for the length of the gap.

    Example:
        >>> Session.with_gap(lit(10).minutes).on(col("ts")).alias("w").name
        'w'

    Source: PyFlink's ``pyflink.table.window.Session``.
    """

    @classmethod
    def with_gap(cls, gap: Expression) -> SessionWithGap:
        """Returns session windows with a gap, such as ``lit(10).minutes``."""
        return SessionWithGap(to_unresolved(gap))


class SessionWithGap:
    """Session windows before their time column is set."""

    def __init__(self, gap: UnresolvedExpression) -> None:
        self._gap = gap

    def on(self, time_field: Expression) -> SessionWithGapOnTime:
        """Returns the windows with their time column, which must be a time attribute or, in batch mode, a timestamp or a BIGINT of milliseconds since 1970."""
        return SessionWithGapOnTime((to_unresolved(time_field), self._gap))


class SessionWithGapOnTime:
    """Session windows before their alias is set."""

    def __init__(self, arguments: Sequence[UnresolvedExpression]) -> None:
        self._arguments = tuple(arguments)

    def alias(self, alias: str | Expression) -> GroupWindow:
        """Returns the windows with an alias for ``group_by`` and ``select``."""
        return GroupWindow(name_of(alias), "SESSION", self._arguments)


_Aggregate = Callable[[Sequence[UnresolvedExpression], tuple[Expression, ...]], _T]
_WithCall = Callable[[Sequence[UnresolvedExpression], object, tuple[Expression, ...]], _T]


class GroupWindowedTable(Generic[_T]):
    """A table with a group window; ``group_by`` names the window and further grouping expressions.

    Example:
        >>> from table_api.window import Tumble
        >>> clicks = env.sql_query("SELECT a, CAST(ts AS TIMESTAMP(3)) AS ts FROM (VALUES (1, '2024-01-01 00:00:10')) AS t (a, ts)")
        >>> per_minute = clicks.window(Tumble.over(lit(1).minutes).on(col("ts")).alias("w")).group_by(col("w"))
        >>> [str(row.begin) for row in per_minute.select(col("w").start.alias("begin"), col("a").sum).execute().collect()]
        ['2024-01-01 00:00:00']

    Source: PyFlink's ``pyflink.table.GroupWindowedTable``.
    """

    def __init__(
        self,
        window: GroupWindow,
        trees: Callable[[tuple[Expression, ...]], Sequence[UnresolvedExpression]],
        aggregate: _Aggregate[_T],
        with_call: _WithCall[_T],
    ) -> None:
        """Internal; use ``Table.window``.

        ``trees`` turns expressions over the table into unresolved nodes, ``aggregate`` builds the table for grouping and selected
        expressions, and ``with_call`` builds it with a user aggregate, from whose result the expressions select.
        """
        self._window = window
        self._trees = trees
        self._aggregate = aggregate
        self._with_call = with_call

    def group_by(self, *fields: Expression) -> WindowGroupedTable[_T]:
        """Returns the groups of rows in the same window with equal values of the other expressions; NULLs are equal.

        Raises:
            ValidationException: the alias of the window does not occur exactly once.
        """
        group_by = self._trees(fields)
        name = self._window.name
        if sum(isinstance(tree, Reference) and tree.path == (name,) for tree in group_by) != 1:
            raise ValidationException(
                f"group_by after window takes the alias of the window once, which is '{name}'.", hint=f"group_by(col({name!r}))"
            )
        return WindowGroupedTable(group_by, self._aggregate, self._with_call)


class WindowGroupedTable(Generic[_T]):
    """The groups of a table by window and values; ``select`` returns one row per group.

    Example:
        >>> from table_api.window import Tumble
        >>> clicks = env.sql_query("SELECT a, CAST(ts AS TIMESTAMP(3)) AS ts FROM (VALUES (1, '2024-01-01 00:00:10')) AS t (a, ts)")
        >>> windowed = clicks.window(Tumble.over(lit(1).hours).on(col("ts")).alias("w")).group_by(col("w"), col("a"))
        >>> list(windowed.select(col("a"), col("a").count.alias("n")).execute().collect())
        [Row(a=1, n=1)]

    Source: PyFlink's ``pyflink.table.WindowGroupedTable``.
    """

    def __init__(self, group_by: Sequence[UnresolvedExpression], aggregate: _Aggregate[_T], with_call: _WithCall[_T]) -> None:
        self._group_by = tuple(group_by)
        self._aggregate = aggregate
        self._with_call = with_call

    def select(self, *fields: Expression) -> _T:
        """Returns one row per window and group, of grouping expressions, window properties (``col("w").start``) and aggregates."""
        return self._aggregate(self._group_by, fields)

    def aggregate(self, func: object) -> AggregatedTable[_T]:
        """Returns the groups with the result of a user aggregate.

        ``func`` is a call, optionally with column names (``alias``), or the function itself. The ``select`` that follows takes grouping
        expressions, window properties and the columns of the result.
        """
        return AggregatedTable(lambda fields: self._with_call(self._group_by, func, fields))


def _length(size: Expression) -> UnresolvedExpression:
    # Differs from Flink: windows of a number of rows, which Flink has over processing time alone, are refused.
    tree = to_unresolved(size)
    if isinstance(tree, Literal) and isinstance(tree.type, BigIntType):
        raise ValidationException(
            f"There are no windows of a number of rows, such as row_interval({tree.value}): windows are of time.",
            hint=f"Number the rows with ROW_NUMBER() OVER (PARTITION BY … ORDER BY …), and group by (number - 1) / {tree.value}.",
        )
    return tree
