from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from table_api.delegation import StreamPlan
from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    DistinctQueryOperation,
    ExternalQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    ValuesQueryOperation,
)
from table_api.operations.changelog import ALL_KINDS, INSERT_ONLY, Changes
from table_api.plan.changelog.signatures import Signature, Signatures
from table_common.catalog import ResolvedSchema
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import aggregates, comparison
from table_common.tree import Part, preorder
from table_common.types import BigIntType, BooleanType, IntType

INT = IntType()


def values(*names: str) -> QueryOperation:
    return ValuesQueryOperation(((), ()), ResolvedSchema.physical([(name, INT) for name in names]))


def column(name: str, position: int) -> FieldReferenceExpression:
    return FieldReferenceExpression(name, INT, 0, position)


def project(child: QueryOperation, **columns: ResolvedExpression) -> QueryOperation:
    return ProjectQueryOperation(tuple(columns.values()), tuple(columns), child)


def total(
    child: QueryOperation, key: FieldReferenceExpression, argument: FieldReferenceExpression, name: str = "s"
) -> AggregateQueryOperation:
    return AggregateQueryOperation((key,), (AggregateCall(aggregates.SUM, (argument,), BigIntType()),), (key.name, name), child)


def of(node: QueryOperation, changes: Changes = INSERT_ONLY) -> Signature:
    """Returns the signature of a node in a plan all of whose edges have some changes."""
    plan = StreamPlan((), {id(each): changes for each in preorder(node, QueryOperation)}, {}, {})
    return Signatures(plan, {"table.local-time-zone": "UTC"}).of(node)


def test_columns_are_named_by_their_origins() -> None:
    rows = values("a", "b")
    plain = total(rows, column("a", 0), column("b", 1))
    signature = of(plain)
    assert signature["operator"] == "Aggregate"
    assert signature["keys"] == [["Values.a", "INT"]]
    assert signature["values"] == [["SUM(Values.b)", "BIGINT", "INT"]]


def test_aliases_projections_and_filters_do_not_matter() -> None:
    rows = values("a", "b")
    condition = CallExpression(comparison.EQUALS, (column("a", 0), column("b", 1)), BooleanType())
    moved = project(FilterQueryOperation(condition, rows), y=column("b", 1), x=column("a", 0))
    changed = total(moved, column("x", 1), column("y", 0), "other")
    assert of(changed) == of(total(rows, column("a", 0), column("b", 1)))


def test_what_is_computed_matters() -> None:
    rows = values("a", "b")
    twice = project(rows, a=column("a", 0), b=CallExpression(comparison.EQUALS, (column("b", 1), column("b", 1)), BooleanType()))
    assert of(total(twice, column("a", 0), column("b", 1))) != of(total(rows, column("a", 0), column("b", 1)))


def test_results_of_aggregates_have_origins_too() -> None:
    rows = values("a", "b")
    inner = total(rows, column("a", 0), column("b", 1))
    outer = of(total(inner, column("a", 0), column("s", 1)))
    assert outer["values"][0][0] == "SUM(SUM(Values.b) BY (Values.a))"


def test_other_operators_keep_the_columns_of_their_inputs() -> None:
    signature = of(DistinctQueryOperation(project(values("a", "b"), x=column("b", 1))))
    assert (signature["inputs"], signature["changes"]) == ([[["Values.b", "INT"]]], ["I"])


def test_conditions_matter_where_rows_are_updated() -> None:
    rows = values("a", "b")
    condition = CallExpression(comparison.EQUALS, (column("a", 0), column("b", 1)), BooleanType())
    plain, filtered = (total(child, column("a", 0), column("b", 1)) for child in (rows, FilterQueryOperation(condition, rows)))
    updated = Changes(ALL_KINDS)
    assert of(plain) == of(filtered)
    assert of(plain, updated) != of(filtered, updated)


def test_the_sides_of_a_self_join_have_their_own_columns() -> None:
    rows = values("a", "b")
    pairs = JoinQueryOperation(rows, values("a", "b"), JoinType.INNER, None)
    left, right = (of(total(pairs, column("a", position), column("b", 1))) for position in (0, 2))
    assert [left["keys"], right["keys"]] == [[["1/Values.a", "INT"]], [["2/Values.a", "INT"]]]


def test_the_columns_of_a_union_are_those_of_all_inputs() -> None:
    def union(*names: str) -> QueryOperation:
        inputs = tuple(project(values("a", "b", "c"), x=column(name, "abc".index(name))) for name in names)
        return total(SetQueryOperation(inputs, SetOperationType.UNION, True, (INT,)), column("x", 0), column("x", 0))

    assert of(union("a", "b"))["keys"] == [["(1/Values.a | 2/Values.b)", "INT"]]
    assert of(union("a", "b")) != of(union("a", "c"))


@dataclass(frozen=True, slots=True)
class NewQueryOperation(QueryOperation):
    """A node that signatures do not know."""

    child: QueryOperation
    number: int
    part: NewPart
    later: int = 0


@dataclass(frozen=True, slots=True)
class NewPart(Part):
    """A part that signatures do not know."""

    key: FieldReferenceExpression
    number: int


def new(**fields: Any) -> QueryOperation:
    given = {"child": values("a", "b"), "number": 1, "part": NewPart(column("a", 0), 1), **fields}
    return NewQueryOperation(**given)


CHANGED = {"number": 2, "later": 1, "part": NewPart(column("a", 0), 2), "child": values("a", "c")}


@pytest.mark.parametrize("field", CHANGED)
def test_all_fields_of_a_new_node_matter(field: str) -> None:
    changed = new(**{field: CHANGED[field]})
    assert of(changed) != of(new())
    # Also to the operators above it.
    assert of(total(changed, column("a", 0), column("b", 1))) != of(total(new(), column("a", 0), column("b", 1)))


def test_a_column_in_a_part_of_a_new_node_is_named_by_its_origin() -> None:
    assert "key=Values.a" in of(new())["details"]["part"]


def test_an_object_without_a_lasting_text_is_never_the_same() -> None:
    assert of(new(number=object())) != of(new(number=object()))


@dataclass(frozen=True)
class Rows(ExternalQueryOperation):
    """Rows of an object of the process."""

    identity: int
    names: tuple[str, ...]

    @property
    def resolved_schema(self) -> ResolvedSchema:
        return ResolvedSchema.physical([(name, INT) for name in self.names])

    @property
    def refusal(self) -> str:
        return "it is for tests"

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "fields", list(self.names)


def test_rows_of_the_process_are_known_by_their_columns() -> None:
    kept = [
        of(total(Rows(identity, names), column("a", 0), column("b", 1)))
        for identity, names in ((1, ("a", "b")), (2, ("a", "b")), (1, ("a", "c")))
    ]
    assert kept[0] == kept[1] != kept[2]
