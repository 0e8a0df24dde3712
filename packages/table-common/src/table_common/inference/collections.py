"""Argument and result types of functions on arrays and maps."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.comparable import is_orderable
from table_common.inference.input_strategies import common_type
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeStrategy
from table_common.types.casts import supports_implicit_cast
from table_common.types.logical import (
    EXACT_INTEGERS,
    ArrayType,
    CharacterType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RowType,
    VariantType,
)
from table_common.types.merging import find_common_type


def _of_kind(types: Sequence[LogicalType], kind: type[LogicalType]) -> bool:
    return all(isinstance(type_, (kind, NullType)) for type_ in types) and any(isinstance(type_, kind) for type_ in types)


@dataclass(frozen=True, slots=True)
class _CommonOf(InputTypeStrategy):
    kind: type[LogicalType]
    count: ArgumentCount

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return self.count

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        if not self.count.accepts(len(context.argument_types)) or not _of_kind(context.argument_types, self.kind):
            return None
        return common_type().infer(context)

    @override
    def signatures(self) -> list[str]:
        text = ", ".join([f"<{self.kind.ROOT}>"] * self.count.minimum)
        return [text if self.count.maximum is not None else f"{text}, [<{self.kind.ROOT}>]..."]


def common_arrays(at_least: int, at_most: int | None) -> InputTypeStrategy:
    """Arrays that are cast to their least common type."""
    return _CommonOf(ArrayType, ArgumentCount(at_least, at_most))


def common_maps(at_least: int, at_most: int | None) -> InputTypeStrategy:
    """Maps that are cast to their least common type."""
    return _CommonOf(MapType, ArgumentCount(at_least, at_most))


@dataclass(frozen=True, slots=True)
class _ArrayAndElement(InputTypeStrategy):
    widens: bool

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        array, element = context.argument_types
        if not isinstance(array, ArrayType):
            return None
        common = find_common_type((array.element_type, element))
        if common is None:
            return None
        if self.widens:
            return replace(array, element_type=common), common.with_nullability(element.nullable)
        compared = common.with_nullability(array.element_type.nullable)
        return replace(array, element_type=compared), common.with_nullability(element.nullable)

    @override
    def signatures(self) -> list[str]:
        return ["<ARRAY>, <ELEMENT>"]


def array_and_element(*, widens: bool = False) -> InputTypeStrategy:
    """An array and a value that is cast with the elements to their common type.

    ``widens``: the value goes into the array, which holds NULL if it may be NULL.
    """
    return _ArrayAndElement(widens)


@dataclass(frozen=True, slots=True)
class _ArrayOfOrderable(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if isinstance(given, ArrayType) and is_orderable(given.element_type) else None

    @override
    def describe(self) -> str:
        return "<ARRAY<COMPARABLE>>"


def array_of_orderable() -> ArgumentTypeStrategy:
    """An array whose elements have an order."""
    return _ArrayOfOrderable()


@dataclass(frozen=True, slots=True)
class _CollectionAndKey(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, 2)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        collection, key = context.argument_types
        if isinstance(collection, ArrayType) and isinstance(key, EXACT_INTEGERS):
            position = context.literal(1)
            if isinstance(position, int) and position < 1:
                raise ValidationException(f"Array elements are counted from 1, but the index is {position}.")
            return collection, IntType(nullable=key.nullable) if supports_implicit_cast(key, IntType()) else key
        if isinstance(collection, VariantType) and isinstance(key, (*EXACT_INTEGERS, CharacterType)):
            return collection, key
        if isinstance(collection, MapType):
            wanted = collection.key_type.with_nullability(key.nullable)
            if key == wanted or isinstance(key, NullType) or supports_implicit_cast(key, wanted):
                return collection, wanted
        return None

    @override
    def signatures(self) -> list[str]:
        return ["<ARRAY>, <INT>", "<MAP>, <KEY>", "<VARIANT>, <INT>", "<VARIANT>, <STRING>"]


def collection_and_key() -> InputTypeStrategy:
    """An array and an index, a map and a key, or a variant and either."""
    return _CollectionAndKey()


def accessed_element() -> TypeStrategy:
    """The element or value that an index or key leads to; NULL if there is none."""

    def infer(context: CallContext) -> LogicalType | None:
        collection = context.argument_types[0]
        if isinstance(collection, ArrayType):
            return collection.element_type.with_nullability(True)
        if isinstance(collection, MapType):
            return collection.value_type.with_nullability(True)
        return collection.with_nullability(True)

    return infer


def element_of(position: int = 0) -> TypeStrategy:
    """The element type of an array or multiset; nullable if the collection is."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[position]
        if not isinstance(given, (ArrayType, MultisetType)):
            return None
        return given.element_type.with_nullability(given.element_type.nullable or given.nullable)

    return infer


def keys_of() -> TypeStrategy:
    """The array of a map's keys."""
    return lambda context: (
        ArrayType(given.key_type, nullable=given.nullable) if isinstance(given := context.argument_types[0], MapType) else None
    )


def values_of() -> TypeStrategy:
    """The array of a map's values."""
    return lambda context: (
        ArrayType(given.value_type, nullable=given.nullable) if isinstance(given := context.argument_types[0], MapType) else None
    )


def entries_of() -> TypeStrategy:
    """The array of a map's entries, rows of ``key`` and ``value``."""

    def infer(context: CallContext) -> LogicalType | None:
        given = context.argument_types[0]
        if not isinstance(given, MapType):
            return None
        return ArrayType(RowType.of([("key", given.key_type), ("value", given.value_type)]), nullable=given.nullable)

    return infer


def map_of_arrays() -> TypeStrategy:
    """The map from the elements of one array to those of another."""

    def infer(context: CallContext) -> LogicalType | None:
        keys, values = context.argument_types
        if not isinstance(keys, ArrayType) or not isinstance(values, ArrayType):
            return None
        return MapType(keys.element_type, values.element_type, nullable=keys.nullable or values.nullable)

    return infer


@dataclass(frozen=True, slots=True)
class _KeyValuePairs(InputTypeStrategy):
    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(2, None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        types = context.argument_types
        key, value = _common_pair(types)
        if len(types) % 2 or key is None or value is None:
            return None
        return tuple((value if position % 2 else key).with_nullability(given.nullable) for position, given in enumerate(types))

    @override
    def signatures(self) -> list[str]:
        return ["[<KEY>, <VALUE>]..."]


def _common_pair(types: Sequence[LogicalType]) -> tuple[LogicalType | None, LogicalType | None]:
    """Returns the common types of keys and values; values that are all NULL are of the keys' type."""
    key = find_common_type(types[::2])
    if key is not None and all(isinstance(type_, NullType) for type_ in types[1::2]):
        return key, key.with_nullability(True)
    return key, find_common_type(types[1::2])


def key_value_pairs() -> InputTypeStrategy:
    """Keys and values in turn, each kind cast to its common type."""
    return _KeyValuePairs()


def map_of_pairs() -> TypeStrategy:
    """The map of keys and values in turn; NOT NULL."""

    def infer(context: CallContext) -> LogicalType | None:
        key, value = _common_pair(context.argument_types)
        return MapType(key, value, nullable=False) if key is not None and value is not None else None

    return infer
