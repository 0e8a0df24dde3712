"""Enforces the size limit of a value in Spark SQL: a guard checks the result's size, which is cheap to compute, before the value is built.

A guard repeats the arguments of its function. A long argument is bound to the variable of a lambda, so that the text of nested calls does not
double with each level. Arguments whose types bound their sizes need no guard.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import MAX_VALUE_SIZE
from table_common.functions.builtin import conversion
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    StructuredType,
    TimestampType,
    TinyIntType,
    VariantType,
)
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.quoting import quote_name

_LONGEST_REPEATED = 100
"""The longest Spark SQL of an argument that is repeated, in characters."""
_LONGEST_SIZE = 1_000
"""The longest Spark SQL of a size that is repeated in the error message, in characters."""
_TERMS = 50
"""The most terms of a sum in one pair of parentheses: Spark's parser recurses over a sum."""
_OCTETS_OF_SCALARS = 100
"""The most bytes that the text of a number, a date or another scalar other than a string has."""
_WIDTHS = (
    ((BigIntType, DoubleType, TimestampType, LocalZonedTimestampType), 8),
    (DecimalType, 16),
    (SmallIntType, 2),
    ((TinyIntType, BooleanType), 1),
)
_LEAST_WIDTH = 4
"""Bytes of an array element on the embedded engine; of a string element, its offset."""
_NUMBERS = itertools.count(1)


def most_octets(expression: ResolvedExpression) -> int | None:
    """Returns an upper bound for the bytes of a value as text, as far as its type gives one; None if it is unbounded."""
    if isinstance(expression, ValueLiteralExpression):
        value = expression.value
        if isinstance(value, str):
            return len(value.encode(errors="surrogatepass"))
        if isinstance(value, bytes) or value is None:
            return len(value or b"")
    type_ = expression.output_type
    if isinstance(type_, (CharacterType, BinaryStringType)):
        if type_.length * 4 <= MAX_VALUE_SIZE:
            return type_.length * (4 if isinstance(type_, CharacterType) else 1)
        if isinstance(expression, CallExpression) and expression.function in (conversion.CAST, conversion.TRY_CAST):
            return _most_octets_as_text(expression.args[0].output_type)
        return None
    return _most_octets_as_text(type_)


def _most_octets_as_text(type_: LogicalType) -> int | None:
    """Returns an upper bound for the bytes of a value's text; None if it is unbounded."""
    unbounded = (CharacterType, BinaryStringType, ArrayType, MapType, MultisetType, RowType, StructuredType, VariantType)
    return None if isinstance(type_, unbounded) else _OCTETS_OF_SCALARS


def is_repeatable(text: str) -> bool:
    """Returns whether a text of Spark SQL is short enough to be repeated."""
    return len(text) <= _LONGEST_REPEATED


def refused(function: str, size: str, made: str, unit: str = "bytes", *, unless: str = "") -> str:
    """Returns Spark SQL for ``made`` that fails, as on the embedded engine, if the size is too large.

    ``unless`` is a condition that is cheaper to compute than the size, and true only for values that fit.
    """
    shown = f"', format_number({size}, 0), '" if len(size) <= _LONGEST_SIZE else f"more than {MAX_VALUE_SIZE:,}"
    error = f"raise_error(concat('{function} would create a value of {shown} {unit}, but a value may have {MAX_VALUE_SIZE:,}.'))"
    condition = f"{size} > {MAX_VALUE_SIZE}"
    return f"if({f'NOT ({unless}) AND {condition}' if unless else condition}, {error}, {made})"


def guarded(
    function: str,
    argument: ResolvedExpression,
    text: str,
    growth: int,
    size: Callable[[str], str],
    made: Callable[[str], str],
    unit: str = "bytes",
) -> str:
    """Returns ``made`` of an argument with a size guard. The result's size is exactly ``size``, and at most ``growth`` times the argument's.

    The exact size is computed only if the upper bound exceeds the limit.
    """
    most = most_octets(argument)
    if most is not None and most * growth <= MAX_VALUE_SIZE:
        return made(text)

    def use(names: Sequence[str]) -> str:
        (name,) = names
        fits = f"octet_length({name}) <= {MAX_VALUE_SIZE // growth}"
        # For constants, Spark also evaluates branches that are not taken.
        small = f"if(NOT ({fits}) AND {size(name)} > {MAX_VALUE_SIZE}, '', {name})"
        return refused(function, size(name), made(small), unit, unless=fits)

    return _bound([text], use)


def guarded_together(
    function: str,
    arguments: Sequence[tuple[ResolvedExpression, str]],
    fixed: int,
    made: Callable[[Sequence[str]], str],
    *,
    ignores_null: bool = False,
) -> str:
    """Returns ``made`` of several arguments with a size guard. The result's size is the sum of theirs plus ``fixed`` bytes."""
    most = [most_octets(argument) for argument, _ in arguments]
    texts = [text for _, text in arguments]
    if fixed + sum(size or 0 for size in most) <= MAX_VALUE_SIZE and None not in most:
        return made(texts)
    fixed += sum(size or 0 for size, (argument, _) in zip(most, arguments, strict=True) if isinstance(argument, ValueLiteralExpression))
    measured = [
        position
        for position, (argument, text) in enumerate(arguments)
        if not isinstance(argument, ValueLiteralExpression) and (is_repeatable(text) or _may_count(most[position], len(most)))
    ]
    # Arguments too small to matter are neither measured nor bound.
    bound = [texts[position] for position in measured]

    def use(names: Sequence[str]) -> str:
        named = dict(zip(bound, names, strict=True))
        return refused(function, octets_together(names, fixed, ignores_null=ignores_null), made([named.get(text, text) for text in texts]))

    return _bound(bound, use)


def _may_count(most: int | None, count: int) -> bool:
    return most is None or most > MAX_VALUE_SIZE // 16 // count


def guarded_arrays(function: str, arrays: Sequence[str], element: LogicalType, made: Callable[[Sequence[str]], str]) -> str:
    """Returns ``made`` of several arrays with a size guard. The result has all their elements; the bytes of string elements are not counted."""
    width = _width(element)
    return _bound(arrays, lambda names: refused(function, _sum([f"size({name})" for name in names], 0, width), made(names)))


def guarded_result(function: str, made: str) -> str:
    """Returns a text with a size guard that is computed after the text, for functions whose results have sizes that nothing cheaper gives."""
    return _bound([made], lambda names: refused(function, f"octet_length({names[0]})", names[0]))


def octets_of(text: str, type_: LogicalType, depth: int = 0) -> str:
    """Returns the size of a value of any type as BIGINT; that of an array includes all its elements. NULL has the size of its place in an array."""
    part, total = f"__part{depth}", f"__total{depth}"
    match type_:
        case CharacterType() | BinaryStringType():
            return f"({_LEAST_WIDTH}L + coalesce(octet_length({text}), 0))"
        case ArrayType() if not _varies(type_.element_type):
            return f"({_LEAST_WIDTH}L + greatest(coalesce(size({text}), 0), 0) * {_width(type_.element_type)}L)"
        case ArrayType():
            element = octets_of(part, type_.element_type, depth + 1)
            return f"({_LEAST_WIDTH}L + coalesce(aggregate({text}, 0L, ({total}, {part}) -> {total} + {element}), 0L))"
        case MapType() | MultisetType():
            key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
            keys = octets_of(f"map_keys({text})", ArrayType(key_type), depth)
            values = octets_of(f"map_values({text})", ArrayType(type_.value_type if isinstance(type_, MapType) else IntType()), depth)
            return f"({keys} + {values})"
        case RowType() | StructuredType() if type_.fields:
            return f"({' + '.join(octets_of(f'{text}.{quote_name(field.name)}', field.type, depth) for field in type_.fields)})"
        case _:
            return f"{_width(type_)}L"


def octets_of_all(values: Sequence[tuple[str, LogicalType]]) -> str:
    """Returns the sum of the sizes of values of any types, as BIGINT; a NULL counts as 0, or as its place in an array."""
    is_text = [isinstance(type_, (CharacterType, BinaryStringType)) for _, type_ in values]
    return _sum([_octets_or_0(v) if flat else octets_of(v, type_) for (v, type_), flat in zip(values, is_text, strict=True)], 0)


def _octets_or_0(text: str) -> str:
    return f"coalesce(octet_length({text}), 0)"


def _varies(type_: LogicalType) -> bool:
    """Returns whether values of the type have different sizes."""
    return isinstance(type_, (CharacterType, BinaryStringType, ArrayType, MapType, MultisetType, RowType, StructuredType))


def _width(type_: LogicalType) -> int:
    """Returns the bytes of a value in an array of the embedded engine; of a string, those of its offset."""
    return next((width for types, width in _WIDTHS if isinstance(type_, types)), _LEAST_WIDTH)


def octets_together(texts: Sequence[str], fixed: int = 0, *, ignores_null: bool = False) -> str:
    """Returns the sum of the values' sizes and ``fixed``, as BIGINT. A NULL value makes it NULL, or counts as 0 with ``ignores_null``."""
    return _sum([_octets_or_0(text) if ignores_null else f"octet_length({text})" for text in texts], fixed)


def _sum(sizes: Sequence[str], fixed: int, weight: int = 1) -> str:
    counts = Counter(sizes)
    terms = [size if count * weight == 1 else f"{size} * {count * weight}L" for size, count in counts.items()]
    while len(terms) > _TERMS:
        terms = [f"(0L + {' + '.join(terms[start : start + _TERMS])})" for start in range(0, len(terms), _TERMS)]
    return f"({' + '.join([f'{fixed}L', *terms])})"


def _bound(texts: Sequence[str], use: Callable[[Sequence[str]], str]) -> str:
    """Returns ``use(texts)`` with all long texts bound to the variable of one lambda."""
    long = dict.fromkeys(text for text in texts if not is_repeatable(text))
    if not long:
        return use(texts)
    # Spark does not allow calls of Python functions in a lambda.
    long |= dict.fromkeys(text for text in texts if WORKER_PREFIX in text)
    row = f"__values{next(_NUMBERS)}"
    fields = {text: f"v{position}" for position, text in enumerate(long)}
    body = use([f"{row}.{fields[text]}" if text in fields else text for text in texts])
    made = ", ".join(f"'{name}', {text}" for text, name in fields.items())
    return f"element_at(transform(array(named_struct({made})), {row} -> {body}), 1)"
