"""Builds resolved expressions and evaluates them as constants and as columns; makes inputs of operators from Python rows, and reads what they yield."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.values import Values
from table_runtime.casts import cast
from table_runtime.expressions import EvaluationContext, Evaluator, to_arrow_scalar
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator

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


Row = tuple[Any, ...]


class Harness:
    """Makes inputs and runs operators with two threads."""

    def __init__(self, context: ExecutionContext) -> None:
        self.context = context

    def source(self, fields: Sequence[tuple[str, pa.DataType]], rows: Sequence[Row], *, batch_rows: int = 3) -> Operator:
        """Returns an operator that yields the rows in batches of a few."""
        schema = pa.schema(list(fields))

        def make() -> list[pa.RecordBatch]:
            return [
                pa.RecordBatch.from_arrays(
                    [pa.array([row[i] for row in rows[start : start + batch_rows]], type=field.type) for i, field in enumerate(schema)],
                    schema=schema,
                )
                for start in range(0, len(rows), batch_rows)
            ]

        return Values(schema, make, len(rows))

    def rows(self, operator: Operator) -> list[Row]:
        """Returns the rows that come out."""
        return [row for batch in operator.batches(self.context) for row in rows_of(batch)]

    def aggregate(
        self,
        function: FunctionDefinition,
        args: Sequence[int],
        argument_types: Sequence[LogicalType],
        output_type: LogicalType,
        *,
        distinct: bool = False,
        filter_column: int | None = None,
        constants: tuple[Any, ...] = (),
        orders: tuple[tuple[bool, bool], ...] = (),
    ) -> AggregateColumn:
        """Returns a call of an aggregate function over columns."""
        spec = AggregateSpec(function.name, tuple(argument_types), output_type, constants, orders)
        return AggregateColumn(make_accumulator(function, spec), tuple(args), distinct, filter_column)


def rows_of(batch: pa.RecordBatch) -> list[Row]:
    if batch.num_columns == 0:
        return [()] * batch.num_rows
    return list(zip(*(column.to_pylist() for column in batch.columns), strict=True))


@pytest.fixture
def harness() -> Iterator[Harness]:
    context = ExecutionContext(parallelism=2)
    yield Harness(context)
    context.close()


class Endless(Operator):
    """Yields batches for ever and remembers whether it was closed."""

    def __init__(self) -> None:
        super().__init__(pa.schema([("a", pa.int64())]))
        self.is_closed = False

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        try:
            while True:
                context.check()
                yield pa.RecordBatch.from_arrays([pa.array([1, 2, 3])], schema=self.schema)
        finally:
            self.is_closed = True


@pytest.fixture
def endless() -> Endless:
    return Endless()
