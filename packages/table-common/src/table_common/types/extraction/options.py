"""Extraction options: those of the enclosing hints."""

from __future__ import annotations

from typing import Any

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types.conversion import class_name_of
from table_common.types.extraction.data_type_hint import DataTypeHint


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """The parameters of ``DataTypeHint`` that apply to nested types; the innermost hint wins."""

    allow_raw_globally: bool = False
    allow_raw_pattern: tuple[str, ...] = ()
    force_raw_pattern: tuple[str, ...] = ()
    default_decimal_precision: int | None = None
    default_decimal_scale: int | None = None
    default_year_precision: int | None = None
    default_second_precision: int | None = None

    def within(self, hint: DataTypeHint | None) -> ExtractionOptions:
        """Returns the options inside a hint.

        Raises:
            ValidationException: the hint has a text where a list is expected.
        """
        if hint is None:
            return self
        said: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(hint, name)
            if value is not None:
                said[name] = tuple(value) if isinstance(value, list) else value
        for name in ("allow_raw_pattern", "force_raw_pattern"):
            if isinstance(said.get(name), str):
                raise ValidationException(
                    f"DataTypeHint takes a list for {name}, but got the text '{said[name]}'.", hint=f"{name}=['{said[name]}']"
                )
        return replace(self, **said) if said else self

    def forces_raw(self, class_: type[Any]) -> bool:
        """Returns whether objects of the class are RAW whatever they could be."""
        return _matches(class_, self.force_raw_pattern)

    def allows_raw(self, class_: type[Any]) -> bool:
        """Returns whether objects of the class may be RAW if nothing else fits."""
        return self.allow_raw_globally or _matches(class_, self.allow_raw_pattern)


def _matches(class_: type[Any], patterns: tuple[str, ...]) -> bool:
    return any(class_name_of(class_).startswith(pattern) for pattern in patterns)
