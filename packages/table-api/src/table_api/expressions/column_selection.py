"""Columns chosen by range or by exception: ``with_columns``, ``without_columns``, ``range_``; they are replaced by columns before resolution."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import Call, Reference, Star, UnresolvedExpression
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import transform_up


@dataclass(frozen=True, slots=True)
class ColumnRange(UnresolvedExpression):
    """The columns from one to another, both by name or both by position from 1."""

    start: str | int
    end: str | int


@dataclass(frozen=True, slots=True)
class ColumnSelection(UnresolvedExpression):
    """These columns, or (``excluded``) all others."""

    columns: tuple[UnresolvedExpression, ...]
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Flattened(UnresolvedExpression):
    """The fields of a row as columns, each named ``<column>$<field>``; a value that is no row is one column."""

    expression: UnresolvedExpression


def expand_selections(expressions: Sequence[UnresolvedExpression], names: Sequence[str]) -> list[UnresolvedExpression]:
    """Returns the expressions with every selection replaced by columns of an input that has these names.

    Raises:
        ValidationException: a selection names a column that does not exist, or stands where only one expression can.
    """

    def in_call(node: UnresolvedExpression) -> UnresolvedExpression:
        return replace(node, args=tuple(_expanded(node.args, names))) if isinstance(node, Call) else node

    return _expanded([transform_up(expression, UnresolvedExpression, in_call) for expression in expressions], names)


def _expanded(expressions: Sequence[UnresolvedExpression], names: Sequence[str]) -> list[UnresolvedExpression]:
    expanded: list[UnresolvedExpression] = []
    for expression in expressions:
        if isinstance(expression, ColumnRange):
            expanded += [Reference((name,)) for name in _range(expression, names)]
        elif isinstance(expression, ColumnSelection):
            expanded += [Reference((name,)) for name in _selected(expression, names)]
        else:
            expanded.append(expression)
    return expanded


def _selected(selection: ColumnSelection, names: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for column in selection.columns:
        if isinstance(column, Star):
            chosen += names
        elif isinstance(column, ColumnRange):
            chosen += _range(column, names)
        elif isinstance(column, ColumnSelection):
            chosen += _selected(column, names)
        elif isinstance(column, Reference) and len(column.path) == 1:
            chosen.append(names[_position(column.path[0], names)])
        else:
            raise ValidationException("with_columns and without_columns take columns, positions and ranges of them.")
    if selection.excluded:
        return [name for name in names if name not in chosen]
    return chosen


def _range(columns: ColumnRange, names: Sequence[str]) -> list[str]:
    start, end = _position(columns.start, names), _position(columns.end, names)
    if start > end:
        raise ValidationException(f"The range from {columns.start!r} to {columns.end!r} runs backwards.")
    return list(names[start : end + 1])


def _position(column: str | int, names: Sequence[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValidationException.unknown("Column", column, names)
        return list(names).index(column)
    if not 1 <= column <= len(names):
        raise ValidationException(f"There is no column {column}: columns are counted from 1 to {len(names)}.")
    return column - 1
