"""Builds resolved expressions without the API, and evaluates them as constants and as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.expressions.call_inference import infer_call
from table_common.functions import FunctionDefinition
from table_common.functions.builtin.conversion import CAST
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    NullType,
    RowType,
    SymbolType,
    VarBinaryType,
    VarCharType,
    VariantType,
    parse_logical_type,
)
from table_runtime.casts import cast
from table_runtime.expressions import EvaluationContext, Evaluator, to_arrow_scalar

_PLAIN = (
    BooleanType,
    IntType,
    BigIntType,
    FloatType,
    DoubleType,
    VarCharType,
    VarBinaryType,
    ArrayType,
    MapType,
    RowType,
    NullType,
    VariantType,
)


class Expressions:
    """Makes expressions from Python values; ``(value, "TYPE")`` gives the type of a value."""

    def literal(self, value: Any) -> ResolvedExpression:
        """Returns a constant, a keyword or a type."""
        if isinstance(value, ResolvedExpression):
            return value
        if isinstance(value, LogicalType):
            return TypeLiteralExpression(value)
        if isinstance(value, Enum):
            return ValueLiteralExpression(value, SymbolType(nullable=False))
        if isinstance(value, tuple):
            return ValueLiteralExpression(value[0], parse_logical_type(value[1]))
        if isinstance(value, Decimal):
            exponent = value.as_tuple().exponent
            assert isinstance(exponent, int)
            return ValueLiteralExpression(value, DecimalType(max(len(value.as_tuple().digits), -exponent), -exponent))
        types: dict[type, LogicalType] = {
            bool: BooleanType(),
            int: IntType(),
            float: DoubleType(),
            str: VarCharType(),
            bytes: VarBinaryType(),
            date: DateType(),
        }
        return ValueLiteralExpression(value, types[type(value)])

    def column(self, index: int, type_: str, name: str = "", input_index: int = 0) -> FieldReferenceExpression:
        """Returns a reference to a column."""
        return FieldReferenceExpression(name or f"f{index}", parse_logical_type(type_), input_index, index)

    def call(self, function: FunctionDefinition, *args: Any) -> CallExpression:
        """Returns the typed call with the casts that its arguments need."""
        arguments = [self.literal(arg) for arg in args]
        inferred = infer_call(function, arguments)
        return CallExpression(function, tuple(map(self._as, arguments, inferred.argument_types)), inferred.output_type)

    def _as(self, argument: ResolvedExpression, wanted: LogicalType) -> ResolvedExpression:
        same = argument.output_type.with_nullability(True) == wanted.with_nullability(True)
        fixed = isinstance(argument, TypeLiteralExpression) or isinstance(wanted, SymbolType)
        return argument if same or fixed else CallExpression(CAST, (argument, TypeLiteralExpression(wanted)), wanted)


def readable(value: Any, type_: LogicalType, context: EvaluationContext) -> Any:
    """Returns a scalar as Python's value; decimals, dates and times as their text."""
    return value.as_py() if isinstance(type_, _PLAIN) else cast(value, type_, VarCharType(), context).as_py()


@pytest.fixture
def expressions() -> Expressions:
    return Expressions()


@pytest.fixture
def context() -> EvaluationContext:
    return EvaluationContext(time_zone="UTC", query_start=1_600_000_000_123_000_000)


Outcome = Callable[..., Any]


@pytest.fixture
def outcome(expressions: Expressions, context: EvaluationContext) -> Outcome:
    """Evaluates a call of constants, and again with every constant in a column; both must agree."""

    def evaluate(function: FunctionDefinition, *args: Any, zone: str = "UTC", columns: bool = True) -> Any:
        session = EvaluationContext(time_zone=zone, query_start=context.query_start)
        literals = [expressions.literal(arg) for arg in args]
        constant = expressions.call(function, *literals)
        one_row = pa.record_batch({"unused": pa.array([0])})
        (array,) = Evaluator([constant], session).evaluate(one_row)
        assert array.type.equals(to_arrow_type(constant.output_type))
        result = readable(array[0], constant.output_type, session)
        if columns and literals:
            assert _over_columns(expressions, function, literals, session) == [str(result)] * 3
        return result

    return evaluate


def _over_columns(
    expressions: Expressions, function: FunctionDefinition, literals: Sequence[ResolvedExpression], context: EvaluationContext
) -> list[str]:
    arrays, references = [], []
    for literal in literals:
        if not isinstance(literal, ValueLiteralExpression) or isinstance(literal.output_type, SymbolType | NullType):
            references.append(literal)
            continue
        references.append(expressions.column(len(arrays), literal.output_type.serializable()))
        arrays.append(pa.concat_arrays([_repeated(to_arrow_scalar(literal))] * 3))
    batch = pa.record_batch(arrays or [pa.nulls(3)], names=[f"f{index}" for index in range(max(len(arrays), 1))])
    call = expressions.call(function, *references)
    (array,) = Evaluator([call], context).evaluate(batch)
    return [str(readable(value, call.output_type, context)) for value in array]


def _repeated(scalar: Any) -> Any:
    return pa.repeat(scalar, 1) if scalar.is_valid else pa.nulls(1, scalar.type)
