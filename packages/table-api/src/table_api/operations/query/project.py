"""Computing columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression, named_texts
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProjectQueryOperation(QueryOperation):
    """One column per expression, named by ``names``."""

    projection: tuple[ResolvedExpression, ...]
    names: tuple[str, ...]
    child: QueryOperation

    def __post_init__(self) -> None:
        assert len(self.projection) == len(self.names)

    @override
    def _make_schema(self) -> ResolvedSchema:
        return ResolvedSchema.physical((name, e.output_type) for name, e in zip(self.names, self.projection, strict=True))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "select", named_texts(self.projection, self.names)
