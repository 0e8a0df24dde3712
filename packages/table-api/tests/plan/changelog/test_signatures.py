from __future__ import annotations

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.changelog.signatures import Signatures
from table_common.catalog import ResolvedSchema
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions.builtin import aggregates, comparison
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


def test_columns_are_named_by_their_origins() -> None:
    rows = values("a", "b")
    plain = total(rows, column("a", 0), column("b", 1))
    signature = Signatures().of(plain)
    assert signature["operator"] == "Aggregate"
    origins = [text for text, _ in (*signature["keys"], *signature["values"])]
    assert origins == ["Values.a", "SUM(Values.b)"]


def test_aliases_projections_and_filters_do_not_matter() -> None:
    rows = values("a", "b")
    condition = CallExpression(comparison.EQUALS, (column("a", 0), column("b", 1)), BooleanType())
    moved = project(FilterQueryOperation(condition, rows), y=column("b", 1), x=column("a", 0))
    changed = total(moved, column("x", 1), column("y", 0), "other")
    assert Signatures().of(changed) == Signatures().of(total(rows, column("a", 0), column("b", 1)))


def test_what_is_computed_matters() -> None:
    rows = values("a", "b")
    twice = project(rows, a=column("a", 0), b=CallExpression(comparison.EQUALS, (column("b", 1), column("b", 1)), BooleanType()))
    assert Signatures().of(total(twice, column("a", 0), column("b", 1))) != Signatures().of(total(rows, column("a", 0), column("b", 1)))


def test_results_of_aggregates_have_origins_too() -> None:
    rows = values("a", "b")
    inner = total(rows, column("a", 0), column("b", 1))
    outer = Signatures().of(total(inner, column("a", 0), column("s", 1)))
    assert outer["values"][0][0] == "SUM(SUM(Values.b) BY (Values.a))"


def test_other_operators_keep_the_columns_of_their_inputs() -> None:
    signature = Signatures().of(DistinctQueryOperation(project(values("a", "b"), x=column("b", 1))))
    assert signature["inputs"] == [[["Values.b", "INT"]]]
