"""Making rows of the elements of a collection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.catalog import Column, PhysicalColumn, ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import ArrayType, IntType, LogicalType, MapType, MultisetType, RowType, StructuredType

if TYPE_CHECKING:
    from table_common.connector import PredictCall, VectorSearchCall


@dataclass(frozen=True, slots=True)
class UnnestQueryOperation(QueryOperation):
    """Joins each row of the child with the elements of ``expression``, an array, map or multiset over the child's columns.

    The schema is the child's columns, then those of an element: the fields of a row, the key and value of a map, else one column; then, with
    ``with_ordinality``, the element's position from 1 on (INT). An element of a multiset comes as often as it is in it. ``keeps_empty``
    keeps a row whose collection is NULL or empty once, with NULLs. An element that is a NULL row gives a row of NULLs.
    """

    child: QueryOperation
    expression: ResolvedExpression
    names: tuple[str, ...]
    with_ordinality: bool = False
    keeps_empty: bool = False

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.element_types(self.expression.output_type)) + self.with_ordinality

    @classmethod
    def element_types(cls, collection: LogicalType) -> tuple[LogicalType, ...]:
        """Returns the types of the columns that an element gives.

        Raises:
            ValidationException: the type is no collection.
        """
        element = cls.element_type(collection)
        if element is None:
            return (collection.key_type, collection.value_type) if isinstance(collection, MapType) else ()
        if isinstance(element, (RowType, StructuredType)):
            types = (f.type for f in element.fields)
            return tuple(t.with_nullability(True) if element.nullable else t for t in types)
        return (element,)

    @classmethod
    def element_type(cls, collection: LogicalType) -> LogicalType | None:
        """Returns the type of an element; None for a map, whose elements are pairs.

        Raises:
            ValidationException: the type is not an ARRAY, MAP or MULTISET.
        """
        match collection:
            case ArrayType() | MultisetType():
                return collection.element_type
            case MapType():
                return None
            case _:
                raise ValidationException.wrong_type("UNNEST", expected="an ARRAY, MAP or MULTISET", got=collection)

    @override
    def _make_schema(self) -> ResolvedSchema:
        types = [*self.element_types(self.expression.output_type), *([IntType(nullable=False)] if self.with_ordinality else [])]
        columns: list[Column] = list(self.child.resolved_schema.columns)
        for name, data_type in zip(self.names, types, strict=True):
            columns.append(PhysicalColumn(name, data_type.with_nullability(True) if self.keeps_empty else data_type))
        return ResolvedSchema(tuple(columns))

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "unnest", self.expression
        yield "names", list(self.names)
        if self.with_ordinality:
            yield "withOrdinality", True
        if self.keeps_empty:
            yield "joinType", "LeftOuterJoin"


def batch_call_of(node: UnnestQueryOperation) -> PredictCall | VectorSearchCall | None:
    """Returns the call of ML_PREDICT or VECTOR_SEARCH that the node is; None if it is another UNNEST."""
    call = node.expression
    function = getattr(call.function, "function", None) if isinstance(call, CallExpression) else None
    return getattr(function, "prediction", None)
