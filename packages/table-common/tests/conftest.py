"""Builds contexts of calls from types and constants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.expressions.call_inference import call_context
from table_common.inference.call_context import CallContext
from table_common.types import LogicalType
from table_common.types.parser import parse_logical_type


def _expression(argument: str | LogicalType | ResolvedExpression) -> ResolvedExpression:
    if isinstance(argument, ResolvedExpression):
        return argument
    type_ = parse_logical_type(argument) if isinstance(argument, str) else argument
    return FieldReferenceExpression("f", type_, 0, 0)


@pytest.fixture
def args() -> Callable[..., list[ResolvedExpression]]:
    """Turns type texts and types into columns of these types; expressions stay."""
    return lambda *arguments: [_expression(argument) for argument in arguments]


@pytest.fixture
def context(args: Callable[..., list[ResolvedExpression]]) -> Callable[..., CallContext]:
    """Builds the context of a call of ``F`` with these arguments."""
    return lambda *arguments, is_global=False: call_context("F", args(*arguments), is_global_aggregate=is_global)


@pytest.fixture
def literal() -> Callable[[object, str], ResolvedExpression]:
    """Builds a constant."""
    return lambda value, type_text: ValueLiteralExpression(value, parse_logical_type(type_text))
