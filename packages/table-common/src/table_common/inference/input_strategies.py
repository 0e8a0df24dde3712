"""Strategies for argument lists, built from those of single arguments (FLIP-65's *InputTypeStrategies*)."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy
from table_common.types.logical import LogicalType
from table_common.types.merging import find_common_type


@dataclass(frozen=True, slots=True)
class _Signature(InputTypeStrategy):
    """``fixed`` arguments, then ``optional`` ones, then the group ``repeated`` any number of times but at least ``at_least``."""

    fixed: tuple[ArgumentTypeStrategy, ...]
    optional: tuple[ArgumentTypeStrategy, ...] = ()
    repeated: tuple[ArgumentTypeStrategy, ...] = ()
    at_least: int = 0

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        low = len(self.fixed) + self.at_least * len(self.repeated)
        return ArgumentCount(low, None if self.repeated else low + len(self.optional))

    def _rule(self, position: int) -> ArgumentTypeStrategy:
        if position < len(self.fixed):
            return self.fixed[position]
        position -= len(self.fixed)
        return self.repeated[position % len(self.repeated)] if self.repeated else self.optional[position]

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        count = len(context.argument_types)
        if not self.argument_count.accepts(count):
            return None
        if self.repeated and (count - len(self.fixed)) % len(self.repeated):
            return None
        types = [self._rule(position).infer(context, position) for position in range(count)]
        found = tuple(type_ for type_ in types if type_ is not None)
        return found if len(found) == count else None

    @override
    def signatures(self) -> list[str]:
        text = ", ".join(rule.describe() for rule in self.fixed)
        if self.repeated:
            group = ", ".join(rule.describe() for rule in self.repeated)
            return [f"{text}, [{group}]..." if text else f"[{group}]..."]
        for rule in self.optional:
            text = f"{text}[, {rule.describe()}]" if text else f"[{rule.describe()}]"
        return [text]


def sig(*fixed: ArgumentTypeStrategy, optional: Sequence[ArgumentTypeStrategy] = ()) -> InputTypeStrategy:
    """One rule per argument; trailing ``optional`` arguments may be omitted.

    Example:
        >>> from table_common.inference import any_type
        >>> sig(any_type(), optional=[any_type()]).signatures()
        ['<ANY>[, <ANY>]']
    """
    return _Signature(fixed, tuple(optional))


def no_arguments() -> InputTypeStrategy:
    """A call with empty parentheses.

    Example:
        >>> no_arguments().argument_count
        ArgumentCount(minimum=0, maximum=0)
    """
    return _Signature(())


def varargs(
    *fixed: ArgumentTypeStrategy,
    repeated: ArgumentTypeStrategy | Sequence[ArgumentTypeStrategy],
    at_least: int = 0,
) -> InputTypeStrategy:
    """The ``fixed`` arguments, then the ``repeated`` one (or group) ``at_least`` times or more.

    Example:
        >>> from table_common.inference import any_type
        >>> varargs(any_type(), repeated=any_type()).signatures()
        ['<ANY>, [<ANY>]...']
    """
    group = (repeated,) if isinstance(repeated, ArgumentTypeStrategy) else tuple(repeated)
    return _Signature(fixed, (), group, at_least)


@dataclass(frozen=True, slots=True)
class _Or(InputTypeStrategy):
    choices: tuple[InputTypeStrategy, ...]

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        counts = [choice.argument_count for choice in self.choices]
        highest = [count.maximum for count in counts if count.maximum is not None]
        return ArgumentCount(min(count.minimum for count in counts), max(highest) if len(highest) == len(counts) else None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        first: tuple[LogicalType, ...] | None = None
        for choice in self.choices:
            if not choice.argument_count.accepts(len(context.argument_types)):
                continue
            types = choice.infer(context)
            if types == context.argument_types:
                return types
            first = first or types
        return first

    @override
    def signatures(self) -> list[str]:
        return [text for choice in self.choices for text in choice.signatures()]


def or_(*choices: InputTypeStrategy) -> InputTypeStrategy:
    """The first of the argument lists that fits without casts, else the first that fits with implicit casts.

    Example:
        >>> from table_common.inference import any_type
        >>> or_(no_arguments(), sig(any_type())).argument_count
        ArgumentCount(minimum=0, maximum=1)
    """
    return _Or(choices)


@dataclass(frozen=True, slots=True)
class _CommonType(InputTypeStrategy):
    prefix: tuple[ArgumentTypeStrategy, ...]
    at_least: int
    at_most: int | None

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        base = len(self.prefix)
        return ArgumentCount(base + self.at_least, None if self.at_most is None else base + self.at_most)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        if not self.argument_count.accepts(len(context.argument_types)):
            return None
        base = len(self.prefix)
        before = [rule.infer(context, position) for position, rule in enumerate(self.prefix)]
        found = tuple(type_ for type_ in before if type_ is not None)
        common = find_common_type(context.argument_types[base:])
        if common is None or len(found) != base:
            return None
        return (*found, *(common.with_nullability(given.nullable) for given in context.argument_types[base:]))

    @override
    def signatures(self) -> list[str]:
        parts = [rule.describe() for rule in self.prefix] + ["<COMMON>"] * self.at_least
        if self.at_most is None:
            parts.append("[<COMMON>]...")
        elif self.at_most > self.at_least:
            parts.extend(["[<COMMON>]"] * (self.at_most - self.at_least))
        return [", ".join(parts)]


def common_type(*prefix: ArgumentTypeStrategy, at_least: int = 1, at_most: int | None = None) -> InputTypeStrategy:
    """Arguments (after the ``prefix``) that are cast to their least common type; each keeps its nullability.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> [str(type_) for type_ in common_type().infer(CallContext("F", (IntType(), BigIntType()), {}))]
        ['BIGINT', 'BIGINT']
    """
    return _CommonType(prefix, at_least, at_most)


@dataclass(frozen=True, slots=True)
class _Wildcard(InputTypeStrategy):
    count: ArgumentCount

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return self.count

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        return context.argument_types

    @override
    def signatures(self) -> list[str]:
        return ["*"]


def wildcard(minimum: int = 0, maximum: int | None = None) -> InputTypeStrategy:
    """Any arguments at all, NULL too; only their number counts.

    Example:
        >>> str(wildcard(1).argument_count)
        'at least 1'
    """
    return _Wildcard(ArgumentCount(minimum, maximum))
