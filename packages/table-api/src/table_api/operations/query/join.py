"""Combining rows of two inputs."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.state_ttl import StateTtl
from table_api.operations.query.time_attributes import without_time_attributes
from table_common.annotation import override
from table_common.catalog import Column, PhysicalColumn, ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import BooleanType, TimestampKind


class JoinType(Enum):
    """The kinds of join; SEMI and ANTI keep left rows with and without a partner."""

    INNER = "InnerJoin"
    LEFT_OUTER = "LeftOuterJoin"
    RIGHT_OUTER = "RightOuterJoin"
    FULL_OUTER = "FullOuterJoin"
    SEMI = "SemiJoin"
    ANTI = "AntiJoin"


class JoinStrategy(Enum):
    """How a hint asks to join a table with the others.

    Example:
        >>> JoinStrategy["BROADCAST"].value
        'BROADCAST'
    """

    BROADCAST = "BROADCAST"
    SHUFFLE_HASH = "SHUFFLE_HASH"
    SHUFFLE_MERGE = "SHUFFLE_MERGE"
    NEST_LOOP = "NEST_LOOP"


@dataclass(frozen=True, slots=True)
class JoinQueryOperation(QueryOperation):
    """Pairs the rows for which ``condition`` is true; None pairs all (a cross join).

    In the condition, references have ``input_index`` 0 for the left and 1 for the right input. The schema is the left columns followed
    by the right ones (names may repeat), nullable on the side that an outer join may leave out; SEMI and ANTI: the left columns.
    """

    left: QueryOperation
    right: QueryOperation
    join_type: JoinType
    condition: ResolvedExpression | None
    state_ttl: tuple[StateTtl | None, StateTtl | None] = field(default=(None, None), kw_only=True)
    """How long the rows of each input are kept in streaming mode; None: as ``table.exec.state.ttl`` says."""
    strategies: tuple[JoinStrategy | None, JoinStrategy | None] = field(default=(None, None), kw_only=True)
    """How a hint asks to join each input; an engine may ignore it."""
    kept_times: tuple[TimestampKind, ...] = field(default=(TimestampKind.ROWTIME, TimestampKind.PROCTIME), kw_only=True)
    """The kinds of time attributes that are still time attributes after the join; the rule ``infer_time_attributes`` says so."""

    def __post_init__(self) -> None:
        if self.condition is not None and not isinstance(self.condition.output_type, BooleanType):
            raise ValidationException.wrong_type("The condition of a join", expected="BOOLEAN", got=self.condition.output_type)

    @override
    def _make_schema(self) -> ResolvedSchema:
        left, right = self.left.resolved_schema.columns, self.right.resolved_schema.columns
        if self.join_type in (JoinType.SEMI, JoinType.ANTI):
            return without_time_attributes(ResolvedSchema(left), self.kept_times)
        if self.join_type in (JoinType.RIGHT_OUTER, JoinType.FULL_OUTER):
            left = tuple(map(_nullable, left))
        if self.join_type in (JoinType.LEFT_OUTER, JoinType.FULL_OUTER):
            right = tuple(map(_nullable, right))
        return without_time_attributes(ResolvedSchema((*left, *right)), self.kept_times)

    @property
    @override
    def summary_name(self) -> str:
        return "Join"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "joinType", self.join_type.value
        yield "where", self._condition_text()
        for side, strategy in zip(("LEFT", "RIGHT"), self.strategies, strict=True):
            if strategy is not None:
                yield "joinHints", f"[[{strategy.value} options:[{side}]]]"
        options = ", ".join(f"{side}={ttl}" for side, ttl in zip(("LEFT", "RIGHT"), self.state_ttl, strict=True) if ttl is not None)
        if options:
            yield "stateTtlHints", f"[[STATE_TTL options:{{{options}}}]]"

    def _condition_text(self) -> str:
        """Returns the condition with the side before each column, since both sides may have the name."""
        if self.condition is None:
            return "true"

        def name_side(reference: FieldReferenceExpression) -> FieldReferenceExpression:
            return replace(reference, name=f"{('left', 'right')[reference.input_index]}.{reference.name}")

        return str(map_references(self.condition, name_side))


def _nullable(column: Column) -> Column:
    if type(column) is PhysicalColumn and column.data_type.nullable and column.comment is None:
        return column  # the same object: a column passes through every join of a chain
    return PhysicalColumn(column.name, column.data_type.with_nullability(True))
