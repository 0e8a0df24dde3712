"""Merges the hints of a class and of its methods into one hint per signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import replace
from table_common.functions.hinting import FunctionHint

_PROPERTIES = ("input", "accumulator", "output")


def completed_hints(of_method: Sequence[FunctionHint], of_class: Sequence[FunctionHint], owner: str) -> list[FunctionHint]:
    """Returns one hint per signature: the method's, completed from the class's.

    Raises:
        ValidationException: The class's hints contradict each other where a method's hint leaves a type open.
    """
    if not of_method:
        return [*of_class] or [FunctionHint()]
    if len(of_class) > 1 and all(hint.input is not None for hint in of_class) and all(hint.input is None for hint in of_method):
        # The class lists the signatures; the method's hint completes each of them.
        return [_complete(own, [hint], owner) for hint in of_class for own in of_method]
    return [_complete(hint, of_class, owner) for hint in of_method]


def _complete(hint: FunctionHint, of_class: Sequence[FunctionHint], owner: str) -> FunctionHint:
    said: dict[str, Any] = {}
    for name in _PROPERTIES:
        if getattr(hint, name) is not None:
            continue
        values = {getattr(other, name) for other in of_class if getattr(other, name) is not None}
        if len(values) > 1:
            listed = ", ".join(sorted(_text(value) for value in values))
            raise ValidationException(
                f"The function hints of {owner} disagree on the {name}: {listed}.", hint=f"Say the {name} in the hint of the method."
            )
        if values:
            (said[name],) = values
            if name == "input":
                source = next(other for other in of_class if other.input is not None)
                said["argument_names"] = source.argument_names
                if hint.is_var_args is None:
                    said["is_var_args"] = source.is_var_args
    return replace(hint, **said) if said else hint


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_text(item) for item in value)})"
    return str(value.value)
