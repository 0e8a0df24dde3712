"""A function known by its name in Spark. Spark's analyzer checks its arguments and infers its result type, call by call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_common.annotation import override
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import AnyArguments, FunctionDefinition, FunctionKind
from table_common.inference import CallContext, TypeInference
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampType, ZonedTimestampType

TypeCall = Callable[["SparkFunction", Sequence[ResolvedExpression], Sequence[LogicalType]], LogicalType]
"""Returns the type of a call, from its arguments and the types that they are cast to."""


@dataclass(frozen=True, eq=False)
class SparkFunction(FunctionDefinition):
    """A function that Spark runs under ``sql_name``; ``hive_class`` is the class of Hive that is registered under it."""

    name: str = ""
    kind: FunctionKind = FunctionKind.SCALAR
    sql_name: str = ""
    type_call: TypeCall | None = None
    hive_class: str | None = None
    deterministic: bool = True

    @property
    @override
    def is_deterministic(self) -> bool:
        return self.deterministic

    @override
    def get_type_inference(self) -> TypeInference:
        return TypeInference(_SparkArguments(), self._output_type)

    @override
    def render_sql(self, args: list[str]) -> str:
        # In back-ticks: many of these names are reserved words here.
        return f"`{self.name.lower()}`({', '.join(args)})"

    def _output_type(self, context: CallContext) -> LogicalType:
        assert self.type_call is not None
        arguments = [argument for argument in context.arguments if isinstance(argument, ResolvedExpression)]
        return self.type_call(self, arguments, context.argument_types)


class _SparkArguments(AnyArguments):
    """Accepts all arguments; Spark checks them. Timestamps are cast to precision 6, the highest that Spark's types have."""

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...]:
        return tuple(map(_native, context.argument_types))


def _native(type_: LogicalType) -> LogicalType:
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.precision > 6:
        return type(type_)(6, nullable=type_.nullable)
    return LocalZonedTimestampType(6, nullable=type_.nullable) if isinstance(type_, ZonedTimestampType) else type_
