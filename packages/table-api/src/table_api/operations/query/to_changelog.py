"""TO_CHANGELOG: changes as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.connector import RowKind
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types import VarCharType


@dataclass(frozen=True, slots=True)
class ToChangelogQueryOperation(QueryOperation):
    """Yields each change of the child as an inserted row: a column with the code of its kind, then the columns of the child.

    ``codes`` gives the code of each kind; changes of other kinds are dropped.
    """

    child: QueryOperation
    codes: tuple[tuple[RowKind, str], ...]
    op_name: str = "op"

    def __post_init__(self) -> None:
        if self.op_name in self.child.resolved_schema.column_names:
            raise ValidationException(
                f"TO_CHANGELOG adds a column '{self.op_name}', but its table has a column of that name.",
                hint="name the added column otherwise: op => DESCRIPTOR(change_kind)",
            )

    @override
    def _make_schema(self) -> ResolvedSchema:
        return ResolvedSchema((PhysicalColumn(self.op_name, VarCharType()), *self.child.resolved_schema.columns))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "op", self.op_name
        yield "codes", [f"{kind.name}={code}" for kind, code in self.codes]
