"""OVER windows: functions of the rows around each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
from table_api.operations.operation import QueryOperation
from table_api.operations.query.sort import SortOrder
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.tree import Part
from table_common.types import LogicalType


@final
@dataclass(frozen=True, slots=True)
class WindowBound(Part):
    """Where a frame begins or ends. ``offset`` with PRECEDING and FOLLOWING only: rows, or a distance from the row's order key."""

    kind: FrameBoundKind
    offset: ValueLiteralExpression | None = None

    def __str__(self) -> str:
        return self.kind.value if self.offset is None else f"{self.offset} {self.kind.value}"


@final
@dataclass(frozen=True, slots=True)
class WindowFrame(Part):
    """The rows of the partition that a call sees, relative to the current row; both bounds belong to it.

    In a RANGE frame CURRENT ROW means all rows with equal order keys; an offset needs exactly one order key, and where that is NULL the
    frame of the bound ends with the rows whose key is NULL.
    """

    unit: FrameUnit
    lower: WindowBound
    upper: WindowBound

    def __str__(self) -> str:
        return f"{self.unit.value} BETWEEN {self.lower} AND {self.upper}"


@final
@dataclass(frozen=True, slots=True)
class WindowCall(Part):
    """One call: arguments are columns of the child or constants. ``COUNT(*)`` has none.

    ``frame`` is None for functions that look at the whole partition whatever is written (ranks, LAG, LEAD), else always given.
    ``ignore_nulls`` None is the function's own way: FIRST_VALUE and LAST_VALUE ignore NULLs, LAG and LEAD do not.
    """

    function: FunctionDefinition
    args: tuple[FieldReferenceExpression | ValueLiteralExpression, ...]
    output_type: LogicalType
    frame: WindowFrame | None = None
    distinct: bool = False
    filter: FieldReferenceExpression | None = None
    ignore_nulls: bool | None = None

    def __str__(self) -> str:
        args = [str(arg) for arg in self.args]
        text = self.function.render_sql(["DISTINCT " + args[0], *args[1:]] if self.distinct and args else args)
        if self.filter is not None:
            text += f" FILTER (WHERE {self.filter})"
        if self.ignore_nulls is not None:
            text += " IGNORE NULLS" if self.ignore_nulls else " RESPECT NULLS"
        return text + (f" {self.frame}" if self.frame is not None else "")


@dataclass(frozen=True, slots=True)
class WindowQueryOperation(QueryOperation):
    """Adds one column per call to the child's; all calls share partitions and order. The order of the rows that come out is open.

    Partition and order keys are columns of the child; rows whose partition keys are NULL form a partition.
    """

    partition_by: tuple[FieldReferenceExpression, ...]
    order_by: tuple[SortOrder, ...]
    calls: tuple[WindowCall, ...]
    names: tuple[str, ...]
    child: QueryOperation

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.calls)

    @override
    def _make_schema(self) -> ResolvedSchema:
        columns = (PhysicalColumn(name, call.output_type) for name, call in zip(self.names, self.calls, strict=True))
        return ResolvedSchema((*self.child.resolved_schema.columns, *columns))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.partition_by:
            yield "partitionBy", [str(reference) for reference in self.partition_by]
        if self.order_by:
            yield "orderBy", [str(order) for order in self.order_by]
        yield "select", [f"{call} AS {name}" for name, call in zip(self.names, self.calls, strict=True)]
