"""Removes duplicate rows."""

from __future__ import annotations

from table_common.annotation import override
from table_runtime.batch.aggregation.hash_aggregate import HashAggregate
from table_runtime.run.operator import Operator


class Distinct(HashAggregate):
    """Groups by all columns; NULLs are equal to each other."""

    def __init__(self, child: Operator) -> None:
        super().__init__(child, child.schema, range(len(child.schema)), ())

    @override
    def details(self) -> str:
        return f"select=[{', '.join(self.schema.names)}]"
