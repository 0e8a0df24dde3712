"""Argument and result types of functions on rows and structured values."""

from __future__ import annotations

from table_common.annotation import override
from table_common.exceptions import ValidationException, closest
from table_common.frozen_dataclass import dataclass, replace
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.logical import CharacterType, LogicalType, NullType, RowField, RowType, StructuredType


def row_of() -> TypeStrategy:
    """The row of the arguments, with fields named EXPR$0, EXPR$1, …; NOT NULL."""
    return lambda context: RowType.of(
        [(f"EXPR${position}", type_) for position, type_ in enumerate(context.argument_types)], nullable=False
    )


@dataclass(frozen=True, slots=True)
class _FieldAccess(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        composite = context.argument_types[0]
        if not isinstance(composite, (RowType, StructuredType)) or not context.is_literal(1):
            return None
        if _field(context) is None:
            wanted = context.literal(1)
            near = closest(str(wanted), composite.field_names)
            raise ValidationException(f"{composite} has no field {wanted!r}.", hint=f"Did you mean '{near[0]}'?" if near else None)
        return context.argument_types

    @override
    def signatures(self) -> list[str]:
        return ["<ROW>, <STRING> constant", "<ROW>, <INT> constant"]


def _field(context: CallContext) -> LogicalType | None:
    composite, wanted = context.argument_types[0], context.literal(1)
    if not isinstance(composite, (RowType, StructuredType)):
        return None
    if isinstance(wanted, str):
        return next((field.type for field in composite.fields if field.name == wanted), None)
    return composite.fields[wanted].type if isinstance(wanted, int) and 0 <= wanted < len(composite.fields) else None


def field_access() -> InputTypeStrategy:
    """A row or structured value, and the name or position (from 0) of a field as a constant."""
    return _FieldAccess()


def field_of() -> TypeStrategy:
    """The type of the field accessed; nullable if the row is."""

    def infer(context: CallContext) -> LogicalType | None:
        field = _field(context)
        return field.with_nullability(field.nullable or context.argument_types[0].nullable) if field is not None else None

    return infer


@dataclass(frozen=True, slots=True)
class _ObjectFields(InputTypeStrategy):
    updates: bool

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(3 if self.updates else 1, None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        if len(context.argument_types) % 2 == 0:
            return None
        first = context.argument_types[0]
        names = _names(context)
        if any(name is None for name in names) or any(isinstance(type_, NullType) for type_ in context.argument_types[2::2]):
            return None
        for name in names:
            if names.count(name) > 1:
                raise ValidationException(f"{context.name} is given the field '{name}' twice.")
        if not self.updates:
            return context.argument_types if isinstance(first, CharacterType) and context.is_literal(0) else None
        if not isinstance(first, StructuredType):
            return None
        for name in names:
            if name not in first.field_names:
                raise ValidationException(f"{first} has no field '{name}' to update.")
        return context.argument_types

    @override
    def signatures(self) -> list[str]:
        return [f"{'<STRUCTURED>' if self.updates else '<STRING> constant'}, [<STRING> constant, <ANY>]..."]


def _names(context: CallContext) -> list[str | None]:
    values = [context.literal(position) for position in range(1, len(context.argument_types), 2)]
    return [value if isinstance(value, str) else None for value in values]


def object_fields(*, updates: bool) -> InputTypeStrategy:
    """The name of a class (or a structured value to update), then names of fields and their values in turn."""
    return _ObjectFields(updates)


def _paired(context: CallContext) -> list[tuple[str, LogicalType]]:
    return [(str(name), type_) for name, type_ in zip(_names(context), context.argument_types[2::2], strict=True)]


def object_of() -> TypeStrategy:
    """The structured type of OBJECT_OF; nullable."""
    return lambda context: StructuredType(str(context.literal(0)), tuple(RowField(name, type_) for name, type_ in _paired(context)))


def object_updated() -> TypeStrategy:
    """The structured type of OBJECT_UPDATE: the updated fields take the types of their new values."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        if not isinstance(given, StructuredType):
            return None
        updated = dict(_paired(context))
        fields = tuple(RowField(field.name, updated.get(field.name, field.type), field.description) for field in given.fields)
        return replace(given, fields=fields)

    return infer
