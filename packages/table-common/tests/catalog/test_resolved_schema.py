"""The names that PyFlink has for a schema's columns and types."""

from __future__ import annotations

import pytest

from table_common.catalog import ComputedColumn, MetadataColumn, PhysicalColumn, ResolvedSchema, UniqueConstraint
from table_common.exceptions import ValidationException
from table_common.types import BigIntType, DataTypes, IntType, VarCharType

A = PhysicalColumn("a", IntType(nullable=False))
B = PhysicalColumn("b", VarCharType())
SCHEMA = ResolvedSchema(
    (
        ComputedColumn("c", IntType()),
        A,
        MetadataColumn("m", BigIntType()),
        MetadataColumn("v", BigIntType(), virtual=True),
        B,
    ),
    primary_key=UniqueConstraint("pk", ("b", "a")),
)


def test_of_accepts_columns_one_by_one_or_as_a_list() -> None:
    assert ResolvedSchema.of(A, B) == ResolvedSchema.of([A, B]) == ResolvedSchema((A, B))


def test_physical_accepts_pairs_or_names_and_types() -> None:
    given = ResolvedSchema.physical(["a", "b"], [DataTypes.INT().not_null(), DataTypes.STRING()])
    assert given == ResolvedSchema.physical([("a", IntType(nullable=False)), ("b", VarCharType())])


def test_physical_wants_a_type_for_each_name() -> None:
    with pytest.raises(ValidationException, match="got 2 names and 1 types"):
        ResolvedSchema.physical(["a", "b"], [DataTypes.INT()])


def test_indexes_of_the_primary_key_count_physical_columns() -> None:
    assert SCHEMA.get_primary_key_indexes() == [1, 0]


def test_schema_without_primary_key_has_no_indexes() -> None:
    assert ResolvedSchema.of(A).get_primary_key_indexes() == []


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("to_physical_row_data_type", ("a", "b")),
        ("to_source_row_data_type", ("c", "a", "m", "v", "b")),
        ("to_sink_row_data_type", ("a", "m", "b")),
    ],
)
def test_row_types_hold_the_columns_of_their_kind(method: str, names: tuple[str, ...]) -> None:
    row = getattr(SCHEMA, method)().logical_type
    assert (tuple(row.field_names), row.nullable) == (names, False)
