"""Grouping and aggregating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, final

from table_api.operations.operation import QueryOperation
from table_api.operations.query.sort import SortOrder
from table_api.operations.query.state_ttl import StateTtl
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.tree import Part
from table_common.types import LogicalType


@final
@dataclass(frozen=True, slots=True)
class AggregateCall(Part):
    """One aggregate: arguments and filter are columns of the child (what they are computed from is projected below).

    ``COUNT(*)`` has no arguments. ``order_by`` is the order in which rows are fed to functions that care.
    """

    function: FunctionDefinition
    args: tuple[FieldReferenceExpression, ...]
    output_type: LogicalType
    distinct: bool = False
    filter: FieldReferenceExpression | None = None
    order_by: tuple[SortOrder, ...] = ()
    constant_args: tuple[Any, ...] = ()
    """Values of trailing constant arguments (the separator of LISTAGG, the fraction of PERCENTILE), not columns."""

    def __str__(self) -> str:
        args = [str(arg) for arg in self.args] + [repr(value) for value in self.constant_args]
        if self.distinct and args:
            args[0] = f"DISTINCT {args[0]}"
        text = self.function.render_sql(args or ["*"])
        if self.order_by:
            text += f" WITHIN GROUP (ORDER BY {', '.join(map(str, self.order_by))})"
        if self.filter is not None:
            text += f" FILTER (WHERE {self.filter})"
        return text


@dataclass(frozen=True, slots=True)
class AggregateQueryOperation(QueryOperation):
    """Groups by columns of the child and aggregates; no grouping means one group over all rows, even over none.

    With grouping columns there is no row over no rows, also for the grouping set without columns.
    The schema is the grouping columns, then one column per call, then, with grouping sets, ``$grouping_id`` (BIGINT NOT NULL): bit i from
    the left is 1 if the i-th grouping column is not part of the row's set. ``grouping_sets`` None means the one set of all columns;
    otherwise each set lists positions in ``grouping``.
    """

    grouping: tuple[FieldReferenceExpression, ...]
    aggregates: tuple[AggregateCall, ...]
    names: tuple[str, ...]
    child: QueryOperation
    grouping_sets: tuple[tuple[int, ...], ...] | None = None
    skips_no_input: bool = False
    """Whether one group over all rows gives no row over no rows: a rule of streaming mode says so."""
    state_ttl: StateTtl | None = None
    """How long an untouched group is kept in streaming mode; None: as ``table.exec.state.ttl`` says."""

    GROUPING_ID: ClassVar[str] = "$grouping_id"

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.grouping) + len(self.aggregates)

    @property
    @override
    def is_one_group(self) -> bool:
        return not self.grouping and self.grouping_sets is None

    @property
    @override
    def removes_duplicates_only(self) -> bool:
        return bool(self.grouping) and not self.aggregates and self.grouping_sets is None

    def grouping_id_of(self, grouping_set: Sequence[int]) -> int:
        """Returns the grouping id of a set's rows."""
        width = len(self.grouping)
        return sum(1 << (width - 1 - position) for position in range(width) if position not in grouping_set)

    @override
    def _make_schema(self) -> ResolvedSchema:
        from table_common.types import BigIntType

        types: list[LogicalType] = []
        for position, reference in enumerate(self.grouping):
            optional = self.grouping_sets is not None and any(position not in s for s in self.grouping_sets)
            types.append(reference.output_type.with_nullability(True) if optional else reference.output_type)
        types += [call.output_type for call in self.aggregates]
        fields = list(zip(self.names, types, strict=True))
        if self.grouping_sets is not None:
            fields.append((self.GROUPING_ID, BigIntType(nullable=False)))
        return ResolvedSchema.physical(fields)

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.grouping:
            yield "groupBy", [str(reference) for reference in self.grouping]
        if self.grouping_sets is not None:
            yield "groupingSets", [[self.grouping[i].name for i in s] for s in self.grouping_sets]
        yield (
            "select",
            [f"{call} AS {name}" for name, call in zip(self.names[len(self.grouping) :], self.aggregates, strict=True)],
        )
        if self.state_ttl is not None:
            yield "stateTtlHints", f"[[STATE_TTL options:[{self.state_ttl}]]]"
