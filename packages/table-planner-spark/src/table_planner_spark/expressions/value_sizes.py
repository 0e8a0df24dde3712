"""The size limit of a single value in Spark SQL: a guard compares a size, which costs little, before the value is made.

A guard names the arguments of its function twice. An argument with a long text is bound by a lambda, so that the text of nested calls does not
double with each level. Arguments that cannot be large by their type have no guard.
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

__all__ = ["guarded", "guarded_arrays", "guarded_together", "is_repeatable", "most_octets", "octets_together", "refused"]

_LONGEST_REPEATED = 100
"""Characters of an argument's text that may stand in a statement twice."""
_LONGEST_SIZE = 1_000
"""Characters of a size's text that an error repeats."""
_TERMS = 50
"""How many terms are added in one pair of parentheses: Spark's parser recurses over a sum."""
_OCTETS_OF_SCALARS = 100
"""What a number, a date or another value that is no text has at most as text."""
_WIDTHS = (
    ((BigIntType, DoubleType, TimestampType, LocalZonedTimestampType), 8),
    (DecimalType, 16),
    (SmallIntType, 2),
    ((TinyIntType, BooleanType), 1),
)
_LEAST_WIDTH = 4
"""Bytes of an element on the embedded engine; of a text, the place where it ends."""
_NUMBERS = itertools.count(1)


def most_octets(expression: ResolvedExpression) -> int | None:
    """Returns how many bytes a text or binary value has at most, as far as its type tells; None if it may have any number."""
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
    """Returns how many bytes the text of a value has at most; None if it may have any number."""
    unbounded = (CharacterType, BinaryStringType, ArrayType, MapType, MultisetType, RowType, StructuredType, VariantType)
    return None if isinstance(type_, unbounded) else _OCTETS_OF_SCALARS


def is_repeatable(text: str) -> bool:
    """Returns whether a text is so short that a statement may have it twice."""
    return len(text) <= _LONGEST_REPEATED


def refused(function: str, size: str, made: str, unit: str = "bytes", *, unless: str = "") -> str:
    """Returns Spark SQL for ``made``, which fails as on the embedded engine if the size is too large.

    ``unless`` is a condition that is cheaper than the size and true of values that fit anyway.
    """
    shown = f"', format_number({size}, 0), '" if len(size) <= _LONGEST_SIZE else f"more than {MAX_VALUE_SIZE:,}"
    error = f"raise_error(concat('{function} would make a value of {shown} {unit}, but a value may have {MAX_VALUE_SIZE:,}.'))"
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
    """Returns what ``made`` makes of the text of an argument, whose size is at most ``growth`` times that of the argument, and exactly ``size``.

    Only what may be too large is measured exactly.
    """
    most = most_octets(argument)
    if most is not None and most * growth <= MAX_VALUE_SIZE:
        return made(text)

    def use(names: Sequence[str]) -> str:
        (name,) = names
        fits = f"octet_length({name}) <= {MAX_VALUE_SIZE // growth}"
        # Spark computes constants in branches that are not taken, too.
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
    """Returns what ``made`` makes of the texts of arguments, which has the size of all of them and ``fixed`` bytes more."""
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
    # What cannot matter is neither measured nor bound.
    bound = [texts[position] for position in measured]

    def use(names: Sequence[str]) -> str:
        named = dict(zip(bound, names, strict=True))
        return refused(function, octets_together(names, fixed, ignores_null=ignores_null), made([named.get(text, text) for text in texts]))

    return _bound(bound, use)


def _may_count(most: int | None, count: int) -> bool:
    return most is None or most > MAX_VALUE_SIZE // 16 // count


def guarded_arrays(function: str, arrays: Sequence[str], element: LogicalType, made: Callable[[Sequence[str]], str]) -> str:
    """Returns what ``made`` makes of the texts of arrays, which has the elements of all of them; what texts among these have within is not counted."""
    width = next((width for types, width in _WIDTHS if isinstance(element, types)), _LEAST_WIDTH)
    return _bound(arrays, lambda names: refused(function, _sum([f"size({name})" for name in names], 0, width), made(names)))


def octets_together(texts: Sequence[str], fixed: int = 0, *, ignores_null: bool = False) -> str:
    """Returns the sum of the sizes of values and a constant, as BIGINT; NULL if one is NULL, unless that counts 0."""
    return _sum([f"coalesce(octet_length({text}), 0)" if ignores_null else f"octet_length({text})" for text in texts], fixed)


def _sum(sizes: Sequence[str], fixed: int, weight: int = 1) -> str:
    counts = Counter(sizes)
    terms = [size if count * weight == 1 else f"{size} * {count * weight}L" for size, count in counts.items()]
    while len(terms) > _TERMS:
        terms = [f"(0L + {' + '.join(terms[start : start + _TERMS])})" for start in range(0, len(terms), _TERMS)]
    return f"({' + '.join([f'{fixed}L', *terms])})"


def _bound(texts: Sequence[str], use: Callable[[Sequence[str]], str]) -> str:
    """Returns ``use(texts)`` in which texts that are long have short names, all in one lambda."""
    long = dict.fromkeys(text for text in texts if not is_repeatable(text))
    if not long:
        return use(texts)
    # No lambda may call a Python worker.
    long |= dict.fromkeys(text for text in texts if WORKER_PREFIX in text)
    row = f"__values{next(_NUMBERS)}"
    fields = {text: f"v{position}" for position, text in enumerate(long)}
    body = use([f"{row}.{fields[text]}" if text in fields else text for text in texts])
    made = ", ".join(f"'{name}', {text}" for text, name in fields.items())
    return f"element_at(transform(array(named_struct({made})), {row} -> {body}), 1)"
