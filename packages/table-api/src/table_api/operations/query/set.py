"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.frozen_dataclass import dataclass
from table_common.types import LogicalType


class SetOperationType(Enum):
    """The set operations."""

    UNION = "Union"
    INTERSECT = "Intersect"
    MINUS = "Minus"


@dataclass(frozen=True, slots=True)
class SetQueryOperation(QueryOperation):
    """Combines two or more inputs of equal column count whose columns have been cast to ``types``; names are those of the first.

    MINUS takes the rows of all further inputs from those of the first. A chain of one operation is one node, however long it is.
    NULLs are equal to each other here. ``all`` keeps duplicates, counted as SQL says.
    """

    # Differs from Flink: NaN is one value to INTERSECT and EXCEPT, as it is to GROUP BY and DISTINCT; Flink 2.3 compares it with = where there is no ALL.

    inputs: tuple[QueryOperation, ...]
    kind: SetOperationType
    all: bool
    types: tuple[LogicalType, ...]

    @property
    def is_union_all(self) -> bool:
        """Whether each row of each input is one of the result."""
        return self.kind is SetOperationType.UNION and self.all

    @override
    def _make_schema(self) -> ResolvedSchema:
        return ResolvedSchema.physical(zip(self.inputs[0].resolved_schema.column_names, self.types, strict=True))

    @property
    @override
    def summary_name(self) -> str:
        return self.kind.value

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "all", self.all
