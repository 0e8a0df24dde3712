"""A signature of a user function: type, name and NULL handling of each parameter, and the result type."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_common.types.extraction import ExtractedType
from table_common.types.logical import LogicalType

NO_DEFAULT: Any = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; it accepts any type if ``extracted.type`` is None.

    Example:
        >>> from table_common.functions import ExtractedType
        >>> from table_common.types import BigIntType
        >>> parameter = Parameter("n", ExtractedType(BigIntType()), default=1)
        >>> parameter.is_optional, parameter.describe()
        (True, '<BIGINT>')
    """

    name: str
    extracted: ExtractedType
    default: Any = NO_DEFAULT

    @property
    def skips_null(self) -> bool:
        """Whether a NULL argument skips the call: the parameter is annotated, and the annotation does not allow None.

        Differs from Flink: a NULL for a parameter that is not annotated as optional skips the call, and the result is NULL. Flink refuses nullable arguments there.
        """
        return self.extracted.is_annotated and not self.extracted.accepts_none and self.extracted.type is not None

    @property
    def is_optional(self) -> bool:
        """Whether the argument may be left out."""
        return self.default is not NO_DEFAULT

    def describe(self) -> str:
        """Returns the type as signatures in messages show it."""
        return "<ANY>" if self.extracted.type is None else f"<{self.extracted.type}>"


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters, the last of which may be variadic, and the types of the result and of the accumulator (None: unknown).

    Example:
        >>> from table_common.functions import ExtractedType
        >>> from table_common.types import BigIntType
        >>> n = ExtractedType(BigIntType())
        >>> Signature((Parameter("n", n),), is_var_args=True, output=n).describe()
        'n => [<BIGINT>]...'
    """

    parameters: tuple[Parameter, ...]
    is_var_args: bool
    output: ExtractedType
    accumulator: ExtractedType | None = None
    skips_nulls: bool = True
    """False where a NULL argument always reaches the function, as in vectorized ones."""

    def parameter(self, position: int) -> Parameter:
        """Returns the parameter that takes the argument at the position."""
        return self.parameters[min(position, len(self.parameters) - 1)]

    def skips(self, position: int) -> bool:
        """Returns whether a NULL argument at the position skips the call."""
        return self.skips_nulls and self.parameter(position).skips_null

    def output_type(self, argument_types: Sequence[LogicalType], *, is_nullable_by_arguments: bool) -> LogicalType | None:
        """Returns the result type for the arguments; nullable if a NULL argument can skip the call."""
        result = self.output.type
        if result is None:
            return None
        if is_nullable_by_arguments and any(type_.nullable and self.skips(i) for i, type_ in enumerate(argument_types)):
            return result.with_nullability(True)
        return result

    def describe(self) -> str:
        """Returns the argument list for messages."""
        texts = [parameter.describe() for parameter in self.parameters]
        if self.is_var_args:
            texts[-1] = f"[{texts[-1]}]..."
        text = ""
        for parameter, part in zip(self.parameters, texts, strict=True):
            shown = f"{parameter.name} => {part}"
            if parameter.is_optional:
                text = f"{text}[, {shown}]" if text else f"[{shown}]"
            else:
                text = f"{text}, {shown}" if text else shown
        return text
