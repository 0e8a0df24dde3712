"""A call with its OVER window inside a resolved expression, before windowing extracts it; used within ``resolution`` only."""

from __future__ import annotations

from collections.abc import Iterable

from table_api.operations import SortOrder, WindowFrame
from table_common.annotation import override
from table_common.expressions import ResolvedExpression, infer_call
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import windows as fn
from table_common.tree import preorder
from table_common.types import LogicalType


@dataclass(frozen=True, slots=True)
class WindowExpression(ResolvedExpression):
    """A window function with its window, over the rows after grouping."""

    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    output_type: LogicalType
    partition_by: tuple[ResolvedExpression, ...]
    order_by: tuple[SortOrder, ...]
    frame: WindowFrame | None
    distinct: bool = False
    filter: ResolvedExpression | None = None
    ignore_nulls: bool | None = None

    def typed(self) -> WindowExpression:
        """Returns the call with the result type inferred from its arguments, frame and filter."""
        may_be_empty = self.filter is not None or (
            self.frame is not None and (self.frame.lower.offset is not None or self.frame.upper.offset is not None)
        )
        result = infer_call(self.function, self.args, is_global_aggregate=may_be_empty).output_type
        if self.function in (fn.LAG, fn.LEAD) and self.args[0].output_type.nullable:
            # Differs from Flink: LAG and LEAD of a nullable column are nullable. Flink types them NOT NULL if the default is, and returns
            # -1 for a NULL of INT.
            result = result.with_nullability(True)
        return self if result == self.output_type else replace(self, output_type=result)

    @override
    def as_serializable_string(self) -> str:
        args = [arg.as_serializable_string() for arg in self.args]
        text = self.function.render_sql(["DISTINCT " + args[0], *args[1:]] if self.distinct and args else args)
        window = []
        if self.partition_by:
            window.append("PARTITION BY " + ", ".join(e.as_serializable_string() for e in self.partition_by))
        if self.order_by:
            window.append("ORDER BY " + ", ".join(map(str, self.order_by)))
        if self.frame is not None:
            window.append(str(self.frame))
        return f"{text} OVER ({' '.join(window)})"


def contains_window(expressions: Iterable[ResolvedExpression]) -> bool:
    """Returns whether a call with an OVER window is anywhere in the expressions."""
    return any(isinstance(node, WindowExpression) for expression in expressions for node in preorder(expression, ResolvedExpression))
