"""Rows written in the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class ValuesQueryOperation(QueryOperation):
    """Rows of expressions that refer to no column, each cast to the type of its column."""

    rows: tuple[tuple[ResolvedExpression, ...], ...]
    schema: ResolvedSchema
    is_of_program: bool = field(default=False, compare=False)
    """Whether the rows were given as Python values, which belong to the program and not to a query's text."""

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        return self.schema

    @property
    @override
    def is_known_empty(self) -> bool:
        return not self.rows

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "rows", len(self.rows)
        yield "fields", list(self.schema.column_names)
