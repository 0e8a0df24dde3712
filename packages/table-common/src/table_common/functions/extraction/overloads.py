"""Overload resolution of user functions: the signature that fits a call best."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions.extraction.signature import Signature
from table_common.inference.argument_types import ArgumentTypeStrategy, any_type, explicit_argument
from table_common.inference.call_context import CallContext
from table_common.inference.input_strategies import sig, varargs
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy
from table_common.types.logical import EXACT_INTEGERS, LogicalType, NullType


@dataclass(frozen=True, slots=True)
class Overloads(InputTypeStrategy):
    """The signatures of a function. An exact match is preferred; otherwise the signature with the smallest casting distance."""

    signatures_: tuple[Signature, ...]

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        counts = [_rules(signature).argument_count for signature in self.signatures_]
        highest = [count.maximum for count in counts if count.maximum is not None]
        return ArgumentCount(min(count.minimum for count in counts), max(highest) if len(highest) == len(counts) else None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        found = self.choose(context)
        return None if found is None else found[1]

    def choose(self, context: CallContext) -> tuple[Signature, tuple[LogicalType, ...]] | None:
        """Returns the signature for a call, and the types that its arguments are cast to; None if none fits.

        Raises:
            ValidationException: Two signatures have the same casting distance.
        """
        fitting: list[tuple[int, Signature, tuple[LogicalType, ...]]] = []
        for signature in self.signatures_:
            rules = _rules(signature)
            if not rules.argument_count.accepts(len(context.argument_types)):
                continue
            types = rules.infer(context)
            if types is not None:
                fitting.append((_distance(context.argument_types, types), signature, types))
        if not fitting:
            return None
        least = min(distance for distance, _, _ in fitting)
        best = [(signature, types) for distance, signature, types in fitting if distance == least]
        if len(best) > 1 and least > 0:
            listed = " and ".join(f"{context.name}({signature.describe()})" for signature, _ in best)
            given = ", ".join(map(str, context.argument_types))
            raise ValidationException(
                f"{context.name}({given}) fits equally well: {listed}.", hint="Cast the arguments to the types of one."
            )
        return best[0]

    @override
    def signatures(self) -> list[str]:
        return [signature.describe() for signature in self.signatures_]


def _rules(signature: Signature) -> InputTypeStrategy:
    rules = [_rule(parameter.extracted.type) for parameter in signature.parameters]
    if signature.is_var_args:
        return varargs(*rules[:-1], repeated=rules[-1])
    required = [rule for rule, parameter in zip(rules, signature.parameters, strict=True) if not parameter.is_optional]
    return sig(*required, optional=rules[len(required) :])


def _rule(type_: LogicalType | None) -> ArgumentTypeStrategy:
    return any_type(null=True) if type_ is None else explicit_argument(type_)


def _distance(given: Sequence[LogicalType], wanted: Sequence[LogicalType]) -> int:
    """Returns the casting distance: 0 for equal types, small within a type family, larger across families."""
    return sum(_step(one, other) for one, other in zip(given, wanted, strict=True))


def _step(given: LogicalType, wanted: LogicalType) -> int:
    if given.with_nullability(True) == wanted.with_nullability(True):
        return 0
    if isinstance(given, NullType):
        return 1
    if isinstance(given, EXACT_INTEGERS) and isinstance(wanted, EXACT_INTEGERS):
        return 10 + EXACT_INTEGERS.index(type(wanted)) - EXACT_INTEGERS.index(type(given))
    return 10 if type(given).__mro__[1] is type(wanted).__mro__[1] and type(given).__mro__[1] is not LogicalType else 100
