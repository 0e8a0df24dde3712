"""Keeping some rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import BooleanType


@dataclass(frozen=True, slots=True)
class FilterQueryOperation(QueryOperation):
    """Keeps the rows for which ``condition`` is true. Schema: the child's."""

    condition: ResolvedExpression
    child: QueryOperation

    def __post_init__(self) -> None:
        if not isinstance(self.condition.output_type, BooleanType):
            raise ValidationException.wrong_type("WHERE", expected="BOOLEAN", got=self.condition.output_type)

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "where", self.condition
