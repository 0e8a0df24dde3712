"""UNNEST: the columns of an element, and what EXPLAIN shows."""

from __future__ import annotations

import pytest

from table_api.operations import UnnestQueryOperation, ValuesQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.types import ArrayType, IntType, LogicalType, MapType, MultisetType, RowType, VarCharType

ROW = RowType.of([("x", IntType(nullable=False)), ("y", VarCharType())], nullable=False)
INT = IntType(nullable=False)


def unnested(collection: LogicalType, *names: str, **options: bool) -> UnnestQueryOperation:
    child = ValuesQueryOperation((), ResolvedSchema.physical([("c", collection)]))
    return UnnestQueryOperation(child, FieldReferenceExpression("c", collection, 0, 0), names, **options)


@pytest.mark.parametrize(
    ("collection", "types"),
    [
        (ArrayType(INT), (INT,)),
        (MultisetType(INT), (INT,)),
        (MapType(VarCharType(nullable=False), INT), (VarCharType(nullable=False), INT)),
        (ArrayType(ROW), (INT, VarCharType())),
        (ArrayType(ROW.with_nullability(True)), (IntType(), VarCharType())),
    ],
    ids=str,
)
def test_an_element_gives_a_column_or_those_of_its_fields(collection: LogicalType, types: tuple[LogicalType, ...]) -> None:
    assert UnnestQueryOperation.element_types(collection) == types


def test_only_a_collection_is_unnested() -> None:
    with pytest.raises(ValidationException, match="UNNEST takes an ARRAY, MAP or MULTISET"):
        UnnestQueryOperation.element_type(IntType())


def test_the_ordinality_follows_the_columns_of_the_element() -> None:
    schema = unnested(ArrayType(INT), "e", "n", with_ordinality=True).resolved_schema
    assert (schema.column_names, schema.column_types[1:]) == (("c", "e", "n"), (INT, INT))


def test_a_row_that_is_kept_without_an_element_has_nulls() -> None:
    assert unnested(ArrayType(INT), "e", keeps_empty=True).resolved_schema.column_types[1:] == (IntType(),)


def test_each_column_of_an_element_has_a_name() -> None:
    with pytest.raises(AssertionError):
        unnested(ArrayType(ROW), "x")


def test_explain_shows_the_options_that_are_set() -> None:
    assert [name for name, _ in unnested(ArrayType(INT), "e").summary_details()] == ["unnest", "names"]
    both = unnested(ArrayType(INT), "e", "n", with_ordinality=True, keeps_empty=True)
    assert list(both.summary_details())[2:] == [("withOrdinality", True), ("joinType", "LeftOuterJoin")]
