"""``DataTypeHint``: declares the type of a parameter, a field, a class or a result, or how nested types are extracted (FLIP-65)."""

from __future__ import annotations

from typing import Any, TypeVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType

CURRENT_VERSION = 1
"""The only version of the extraction so far."""
_ATTRIBUTE = "__table_data_type_hint__"

_C = TypeVar("_C", bound=type[Any])


@dataclass(frozen=True, slots=True)
class DataTypeHint:
    """A hint for extracting a data type: inside ``Annotated``, in ``function_hint``, or as the decorator of a structured class.

    Args:
        value: The type, as SQL text or as an object. ``ANY`` (or ``RAW``) is a RAW type of the annotated class.
        bridged_to: The Python class that values have in the function.
        version: The logic of extraction; unknown ones are an error.
        allow_raw_globally: Whether classes without a SQL type become RAW; otherwise they are an error.
        allow_raw_pattern: Beginnings of ``module.qualname`` for which the same holds.
        force_raw_pattern: Beginnings of ``module.qualname`` of classes that are RAW whatever they could be; works without the global flag.
        default_decimal_precision: The precision of every ``Decimal``; without it, ``Decimal`` needs a hint of its own.
        default_decimal_scale: The scale of every ``Decimal``.
        default_year_precision: The precision of year-month intervals; 0 makes them intervals of months.
        default_second_precision: The fractional digits of timestamps, times and day-time intervals.
        take_arbitrary_input: Whether a parameter takes arguments of any type.

    Example:
        >>> from decimal import Decimal
        >>> from typing import Annotated
        >>> from table_common.functions import ScalarFunction, UserFunction
        >>> class Half(ScalarFunction):
        ...     def eval(self, price: Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")]) -> Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")]:
        ...         return price / 2
        >>> UserFunction(Half()).name
        'Half'
    """

    value: str | LogicalType | DataType | None = None
    bridged_to: type[Any] | None = None
    version: int | None = None
    allow_raw_globally: bool | None = None
    allow_raw_pattern: tuple[str, ...] | list[str] | None = None
    force_raw_pattern: tuple[str, ...] | list[str] | None = None
    default_decimal_precision: int | None = None
    default_decimal_scale: int | None = None
    default_year_precision: int | None = None
    default_second_precision: int | None = None
    take_arbitrary_input: bool | None = None

    def __post_init__(self) -> None:
        if self.version is not None and self.version != CURRENT_VERSION:
            raise ValidationException(
                f"DataTypeHint does not know version {self.version} of the extraction.", hint=f"There is version {CURRENT_VERSION}."
            )

    @property
    def is_empty(self) -> bool:
        """Whether the hint declares no type; it may still have extraction options."""
        return self.value is None and self.bridged_to is None and not self.take_arbitrary_input

    def __call__(self, class_: _C) -> _C:
        """Puts the hint on a structured class, as its decorator."""
        setattr(class_, _ATTRIBUTE, self)
        return class_


def hint_of_class(class_: type[Any]) -> DataTypeHint | None:
    """Returns the hint of the class itself, ignoring base classes."""
    found = vars(class_).get(_ATTRIBUTE)
    return found if isinstance(found, DataTypeHint) else None
