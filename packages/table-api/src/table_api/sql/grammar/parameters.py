"""Parameters: the value of ``:name`` becomes a literal, as ``lit`` creates it, and is never inserted as text."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.expressions.node_holder import to_unresolved
from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_common.exceptions import SourcePosition, ValidationException
from table_common.frozen_dataclass import replace


def parameter_expression(name: str, parameters: Mapping[str, object], span: Span, position: SourcePosition) -> UnresolvedExpression:
    """Returns the literal for the parameter ``name``; a list becomes an ARRAY, a dict a MAP, a tuple a ROW.

    Raises:
        ValidationException: There is no such parameter, or its value has no SQL type.
    """
    if name not in parameters:
        raise ValidationException.unknown("Parameter", name, parameters, where="args", position=position)
    try:
        return replace(to_unresolved(parameters[name]), span=span)
    except ValidationException as error:
        raise error.at(position) from None
