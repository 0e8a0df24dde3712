"""MATCH_RECOGNIZE: rows of a sequence that together match a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.sort import SortOrder
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import (
    AfterMatch,
    FieldReferenceExpression,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
)
from table_common.frozen_dataclass import dataclass

MAX_PATTERN_ROWS = 10_000
"""The maximum number of rows that the quantifiers of a pattern count: engines have a state for each."""


@dataclass(frozen=True, slots=True)
class MatchRecognizeQueryOperation(QueryOperation):
    """Yields one row per match: the partition's keys and the measures.

    The rows of a partition are taken in order; ``order_by`` begins with a point in time, ascending. ``pattern`` is a sequence of variables
    without gaps, of at most ``MAX_PATTERN_ROWS`` counted rows; a variable without a definition takes every row. ``within`` are the milliseconds before which a match's last row must be,
    counted from its first. ``after_match_variable`` belongs to the two ways to skip that name one.

    Raises:
        ValidationException: the quantifiers count more rows.
    """

    partition_by: tuple[FieldReferenceExpression, ...]
    order_by: tuple[SortOrder, ...]
    pattern: tuple[PatternVariable, ...]
    definitions: tuple[PatternDefinition, ...]
    measures: tuple[PatternExpression, ...]
    names: tuple[str, ...]
    child: QueryOperation
    after_match: AfterMatch = AfterMatch.PAST_LAST_ROW
    after_match_variable: str | None = None
    within: int | None = None

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.measures)
        assert (self.after_match_variable is not None) == (self.after_match in (AfterMatch.TO_FIRST, AfterMatch.TO_LAST))
        count = sum(variable.maximum or max(variable.minimum, 1) for variable in self.pattern)
        if count > MAX_PATTERN_ROWS:
            raise ValidationException(
                f"The quantifiers of the pattern count {count:,} rows, but they may count {MAX_PATTERN_ROWS:,}.",
                hint="a quantifier without an upper bound, such as A{10,}, counts only the lower one",
            )

    @override
    def _make_schema(self) -> ResolvedSchema:
        keys = (PhysicalColumn(key.name, key.output_type) for key in self.partition_by)
        measures = (PhysicalColumn(name, m.expression.output_type) for name, m in zip(self.names, self.measures, strict=True))
        return ResolvedSchema((*keys, *measures))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.partition_by:
            yield "partitionBy", [str(key) for key in self.partition_by]
        yield "orderBy", [str(order) for order in self.order_by]
        yield "measures", [f"{measure} AS {name}" for name, measure in zip(self.names, self.measures, strict=True)]
        yield "afterMatch", " ".join(filter(None, (self.after_match.value, self.after_match_variable)))
        yield "pattern", [" ".join(map(str, self.pattern))]
        if self.within is not None:
            yield "within", f"{self.within} ms"
        if self.definitions:
            yield "define", [str(definition) for definition in self.definitions]
