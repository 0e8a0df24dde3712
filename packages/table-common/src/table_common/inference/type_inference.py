"""The type inference of a function (FLIP-65): its arguments and its result.

Built-in and user-defined functions use the same three parts: an input strategy (types to cast the arguments to, or no match), an
output strategy (the result's type) and, for aggregates, an accumulator strategy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.types.logical import LogicalType

TypeStrategy = Callable[[CallContext], LogicalType | None]
"""Returns the type, or None if the strategy has no answer for these arguments."""


@dataclass(frozen=True, slots=True)
class ArgumentCount:
    """How many arguments a function takes; ``maximum`` None means any number.

    Example:
        >>> ArgumentCount(1, None).accepts(3), str(ArgumentCount(1, 2))
        (True, '1 to 2')
    """

    minimum: int
    maximum: int | None

    def accepts(self, count: int) -> bool:
        """Returns whether ``count`` arguments are within the bounds."""
        return self.minimum <= count and (self.maximum is None or count <= self.maximum)

    def __str__(self) -> str:
        if self.maximum is None:
            return f"at least {self.minimum}"
        return str(self.minimum) if self.minimum == self.maximum else f"{self.minimum} to {self.maximum}"


class InputTypeStrategy(ABC):
    """Validates the arguments of a call, and returns the types to which they are cast.

    Source: Flink's ``org.apache.flink.table.types.inference.InputTypeStrategy``.

    Example:
        >>> from table_common.inference import any_type, sig
        >>> strategy = sig(any_type())
        >>> isinstance(strategy, InputTypeStrategy), strategy.signatures()
        (True, ['<ANY>'])
    """

    @property
    @abstractmethod
    def argument_count(self) -> ArgumentCount:
        """The number of arguments that can fit at all."""

    @abstractmethod
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        """Returns one type per argument, equal to the argument's own where no cast is needed; None if they do not fit."""

    @abstractmethod
    def signatures(self) -> list[str]:
        """Returns the accepted argument lists for messages, such as ``["<STRING>, <INT>"]``."""

    def hint(self, context: CallContext) -> str | None:
        """Returns a hint what to write instead of invalid arguments, if there is one."""
        return None


@dataclass(frozen=True, slots=True)
class TypeInference:
    """The type inference of one function.

    Source: Flink's ``org.apache.flink.table.types.inference.TypeInference``.

    Example:
        >>> from table_common.inference import any_type, explicit, sig
        >>> from table_common.types import IntType
        >>> TypeInference(sig(any_type()), explicit(IntType())).input.argument_count
        ArgumentCount(minimum=1, maximum=1)
    """

    input: InputTypeStrategy
    output: TypeStrategy
    accumulator: TypeStrategy | None = None
    argument_names: tuple[str, ...] | None = None
    optional_arguments: tuple[bool, ...] | None = None
    gives_time_attribute: bool = False
    """Whether the result may be a time attribute; otherwise the result of a call is a plain timestamp."""
