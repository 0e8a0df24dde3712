"""FROM_CHANGELOG: rows as changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.connector import RowKind
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import CharacterType


@dataclass(frozen=True, slots=True)
class FromChangelogQueryOperation(QueryOperation):
    """Yields each row of the child as a change of the kind that its column ``op`` says, without that column.

    ``codes`` gives the kind of each code; a row with another code, or NULL, is an error of the data.
    """

    child: QueryOperation
    op: FieldReferenceExpression
    codes: tuple[tuple[str, RowKind], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.op.output_type, CharacterType):
            where = f"FROM_CHANGELOG over column '{self.op.name}'"
            raise ValidationException.wrong_type(where, expected="STRING", got=self.op.output_type)

    @override
    def _make_schema(self) -> ResolvedSchema:
        columns = self.child.resolved_schema.columns
        return ResolvedSchema((*columns[: self.op.field_index], *columns[self.op.field_index + 1 :]))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "op", self.op.name
        yield "codes", [f"{code}={kind.name}" for code, kind in self.codes]
