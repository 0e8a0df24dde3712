"""The parts of a type that are NOT NULL: fields of rows, elements of arrays, keys and values of maps."""

from __future__ import annotations

from collections.abc import Iterator

from table_common.frozen_dataclass import dataclass, replace
from table_common.types.logical import ArrayType, LogicalType, MapType, MultisetType, RowType, StructuredType


@dataclass(frozen=True, slots=True)
class RequiredPart:
    """A part of a column that must not be NULL.

    ``steps`` lead to it from the column: the position of a field, or ``element``, ``key`` or ``value``. ``path`` is the same for people.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> (part,) = required_parts(parse_logical_type("ROW<a INT NOT NULL, b INT>"), "r")
        >>> part.path, part.steps
        ('r.a', (0,))
    """

    steps: tuple[int | str, ...]
    path: str

    def violation(self, table: str) -> str:
        """Returns the message about a row that has NULL there."""
        return f"'{self.path}' of {table} is declared NOT NULL, but a row has NULL there."


def required_parts(type_: LogicalType, name: str, *, of_collections: bool = True) -> Iterator[RequiredPart]:
    """Yields the parts inside of a column of this type and name that are NOT NULL, not the column itself.

    Args:
        type_: the type of the column.
        name: the name of the column, with which paths begin.
        of_collections: whether parts of arrays, maps and multisets are among them, or of rows alone.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> [part.path for part in required_parts(parse_logical_type("MAP<INT, ARRAY<INT NOT NULL>>"), "m")]
        ['m[value][element]']
    """
    return _parts(type_, name, (), of_collections)


def without_required_parts(type_: LogicalType) -> LogicalType:
    """Returns the type with nullable parts at any depth; the type itself stays NOT NULL if it is.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> str(without_required_parts(parse_logical_type("ARRAY<ROW<a INT NOT NULL> NOT NULL> NOT NULL")))
        'ARRAY<ROW<`a` INT>> NOT NULL'
    """
    match type_:
        case RowType() | StructuredType():
            return replace(type_, fields=tuple(replace(field, type=_nullable(field.type)) for field in type_.fields))
        case ArrayType() | MultisetType():
            return replace(type_, element_type=_nullable(type_.element_type))
        case MapType():
            return replace(type_, key_type=_nullable(type_.key_type), value_type=_nullable(type_.value_type))
        case _:
            return type_


def _nullable(type_: LogicalType) -> LogicalType:
    return without_required_parts(type_).with_nullability(True)


def _parts(type_: LogicalType, path: str, steps: tuple[int | str, ...], of_collections: bool) -> Iterator[RequiredPart]:
    for step, inner_path, inner in _children(type_, path, of_collections):
        inner_steps = (*steps, step)
        if not inner.nullable:
            yield RequiredPart(inner_steps, inner_path)
        yield from _parts(inner, inner_path, inner_steps, of_collections)


def _children(type_: LogicalType, path: str, of_collections: bool) -> Iterator[tuple[int | str, str, LogicalType]]:
    match type_:
        case RowType() | StructuredType():
            for index, field in enumerate(type_.fields):
                yield index, f"{path}.{field.name}", field.type
        case ArrayType() if of_collections:
            yield "element", f"{path}[element]", type_.element_type
        case MultisetType() if of_collections:
            yield "key", f"{path}[element]", type_.element_type
        case MapType() if of_collections:
            yield "key", f"{path}[key]", type_.key_type
            yield "value", f"{path}[value]", type_.value_type
        case _:
            pass
