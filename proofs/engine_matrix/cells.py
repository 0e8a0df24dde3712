"""Calls of built-in functions, and casts, with edge values: generated from the definitions of the functions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from engine_matrix.edge_values import POOL, Kind
from table_common.expressions import TimeUnit, TrimMode
from table_common.functions import BuiltInFunctionDefinition, FunctionKind
from table_common.functions.builtin import FAMILIES, definitions_of
from table_common.inference.call_context import CallContext
from table_common.types import CharacterType, IntType, LogicalType, VarCharType
from table_common.types.logical import SymbolType

__all__ = ["OUTSIDE", "Cell", "Value", "casts_of", "cells_of", "functions"]

OUTSIDE = {
    "ARRAY": "it is in the position NESTED of every function",
    "CAST": "the casts of all pairs of types are rows of their own",
    "CURRENT_DATABASE": "it has no arguments",
    "E": "it has no arguments",
    "JSON": "it is an argument of JSON_OBJECT",
    "MAP": "its values are arguments of other functions",
    "OBJECT_OF": "it needs a class",
    "OBJECT_UPDATE": "it needs a class",
    "PI": "it has no arguments",
    "ROW": "it is in the position NESTED of every function",
    "SOURCE_WATERMARK": "it is part of a table",
    "CURRENT_WATERMARK": "it is NULL in batch mode",
    "TRY_CAST": "the casts of all pairs of types are rows of their own",
}
"""Functions that are not rows of the matrix, and why."""
_TEMPLATES = {
    "CASE": ("CASE WHEN {0} IS NULL THEN {1} ELSE {0} END", (None, None)),
    "IS_JSON": ("{0} IS JSON", (CharacterType,)),
    "JSON_EXISTS": ("JSON_EXISTS({0}, '$.a')", (CharacterType,)),
    "JSON_VALUE": ("JSON_VALUE({0}, '$.c')", (CharacterType,)),
    "JSON_QUERY": ("JSON_QUERY({0}, '$.a')", (CharacterType,)),
    "JSON_OBJECT": ("JSON_OBJECT(KEY 'k' VALUE {0})", (None,)),
    "JSON_ARRAY": ("JSON_ARRAY({0}, {1} NULL ON NULL)", (None, None)),
    "BITMAP_TO_STRING": ("BITMAP_TO_STRING(BITMAP_BUILD({0}))", (None,)),
}
"""Functions with a syntax of their own: the text, and the classes of types of each argument (None: any type)."""
_SYMBOLS: tuple[Enum, ...] = (*TimeUnit, *TrimMode)
_FREQUENT = [kind for kind in POOL if isinstance(kind.type, (VarCharType, IntType))]
"""What most functions with several arguments take."""
_TRIES, _MOST_REPEATED = 300, 2


@dataclass(frozen=True)
class Value:
    """An argument: an edge value of a type, NULL if ``text`` is None."""

    kind: Kind
    text: str | None

    @property
    def sql(self) -> str:
        return self.kind.sql(self.text)


@dataclass(frozen=True)
class Cell:
    """A call with values as its arguments. ``position``: ``literal``, ``column`` or ``nested`` (fields of a row, result in an array)."""

    function: str
    template: str
    values: tuple[Value, ...]
    position: str
    zone: str = "UTC"

    def expression(self, first: int = 0) -> str:
        """Returns the SQL of the call, whose columns are numbered from ``first``."""
        match self.position:
            case "literal":
                return self.template.format(*(value.sql for value in self.values))
            case "column":
                return self.template.format(*(f"c{first + i}" for i in range(len(self.values))))
            case _:
                return f"ARRAY[{self.template.format(*(f'c{first + i}.f' for i in range(len(self.values))))}]"

    def columns(self) -> list[str]:
        """Returns the values of the columns as SQL."""
        if self.position == "literal":
            return []
        if self.position == "column":
            return [value.sql for value in self.values]
        return [f"CAST(ROW({value.sql}) AS ROW<f {value.kind.type}>)" for value in self.values]

    def __str__(self) -> str:
        return f"{replace(self, position='literal').expression()} [{self.position}, {self.zone}]"


def functions() -> list[BuiltInFunctionDefinition]:
    """Returns the scalar functions that are rows of the matrix."""
    all_of_them = [one for family in FAMILIES for one in definitions_of(family)]
    return [one for one in all_of_them if one.kind is FunctionKind.SCALAR and one.is_deterministic and one.name not in OUTSIDE]


def cells_of(function: BuiltInFunctionDefinition, generator: random.Random, count: int, zones: Sequence[str]) -> Iterator[Cell]:
    """Yields calls with random edge values of random types that the function takes."""
    for _ in range(count):
        found = _call(function, generator)
        if found is not None:
            yield _placed(function.name, *found, generator, zones)


def casts_of(generator: random.Random, count: int, zones: Sequence[str]) -> Iterator[Cell]:
    """Yields casts between random pairs of types; the analyzer refuses some of them."""
    for _ in range(count):
        target = generator.choice(POOL).type
        name = generator.choice(("CAST", "TRY_CAST"))
        text = f"{name}({{0}} AS {target})"
        yield _placed(name, text, (_value(generator.choice(POOL), generator),), generator, zones)


def _placed(name: str, text: str, values: tuple[Value, ...], generator: random.Random, zones: Sequence[str]) -> Cell:
    return Cell(name, text, values, generator.choice(("literal", "column", "column", "nested")), generator.choice(zones))


def _value(kind: Kind, generator: random.Random) -> Value:
    return Value(kind, generator.choice((None, *kind.texts)))


def _call(function: BuiltInFunctionDefinition, generator: random.Random) -> tuple[str, tuple[Value, ...]] | None:
    if function.name in _TEMPLATES:
        text, classes = _TEMPLATES[function.name]
        kinds = [generator.choice([k for k in POOL if of is None or isinstance(k.type, of)]) for of in classes]
        return text, tuple(_value(kind, generator) for kind in kinds)
    strategy = function.get_type_inference().input
    counts = strategy.argument_count
    most = min(counts.minimum + _MOST_REPEATED, counts.maximum if counts.maximum is not None else 99)
    for _ in range(_TRIES):
        given = [_argument(generator) for _ in range(generator.randint(counts.minimum, most))]
        if not given:
            continue
        types = tuple(one.kind.type if isinstance(one, Value) else SymbolType(nullable=False) for one in given)
        literals = {i: one.text if isinstance(one, Value) else one for i, one in enumerate(given)}
        try:
            taken = strategy.infer(CallContext(function.name, types, literals))
        except Exception:  # the rules of some arguments raise errors of their own
            continue
        if taken is not None and _are_alike(taken, types):
            numbers = iter(range(len(given)))
            texts = [f"{{{next(numbers)}}}" if isinstance(one, Value) else str(one.value) for one in given]
            return function.render_sql(texts), tuple(one for one in given if isinstance(one, Value))
    return None


def _argument(generator: random.Random) -> Value | Enum:
    chance = generator.random()
    if chance < 0.15:
        return generator.choice(_SYMBOLS)
    return _value(generator.choice(_FREQUENT if chance < 0.6 else POOL), generator)


def _are_alike(taken: Sequence[LogicalType], given: Sequence[LogicalType]) -> bool:
    return all(one.with_nullability(True) == other.with_nullability(True) for one, other in zip(taken, given, strict=True))
