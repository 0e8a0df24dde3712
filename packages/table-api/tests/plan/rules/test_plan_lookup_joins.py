"""Processing-time temporal joins become lookup joins."""

from __future__ import annotations

from typing import Any

import pytest
from plan_pairs import planned

from table_api.operations import JoinType, LookupJoinQueryOperation, QueryOperation, SourceQueryOperation, TemporalJoinQueryOperation
from table_api.plan.changelog.keys import unique_keys
from table_api.plan.context import RuleContext
from table_api.plan.rules.plan_lookup_joins import plan_lookup_joins
from table_common.catalog import UniqueConstraint
from table_common.connector import LookupTableSource, ScanTableSource
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import preorder, transform_up

LEFT = "(SELECT name, age, PROCTIME() AS pt FROM t) AS o"


class Lookups(LookupTableSource):
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        raise AssertionError("nothing is looked up here")


class Scans(ScanTableSource):
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


def planned_join(context: RuleContext, join: str, source: Any, right: str | None = None) -> LookupJoinQueryOperation:
    """Returns the lookup join of a temporal join, whose right side is the query ``right`` in place of the table."""

    def with_source(node: QueryOperation) -> QueryOperation:
        return replace(node, source=source) if isinstance(node, SourceQueryOperation) else node

    def with_right(node: QueryOperation) -> QueryOperation:
        return replace(node, right=planned(right, context)) if right and isinstance(node, TemporalJoinQueryOperation) else node

    plan = transform_up(planned(f"SELECT * FROM {LEFT} {join}", context), QueryOperation, with_right)
    plan = plan_lookup_joins(transform_up(plan, QueryOperation, with_source), context)
    (lookup,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, LookupJoinQueryOperation))
    return lookup


def keys_of(join: LookupJoinQueryOperation) -> list[tuple[str, str]]:
    return [(join.side.source_schema.column_names[key.column], str(key.value)) for key in join.keys]


@pytest.mark.parametrize(("kind", "join_type"), [("JOIN", JoinType.INNER), ("LEFT JOIN", JoinType.LEFT_OUTER)])
def test_an_equality_with_a_column_is_a_key(context: RuleContext, kind: str, join_type: JoinType) -> None:
    join = planned_join(context, f"{kind} u FOR SYSTEM_TIME AS OF o.pt AS d ON d.name = o.name", Lookups())
    assert (keys_of(join), join.condition, join.join_type) == ([("name", "name")], None, join_type)


@pytest.mark.parametrize(("key", "found"), [("name", {frozenset({0})}), ("id", set())])
def test_a_left_row_keeps_its_key_if_the_primary_key_is_looked_up(context: RuleContext, key: str, found: set[frozenset[int]]) -> None:
    def with_keys(node: QueryOperation) -> QueryOperation:
        if not isinstance(node, SourceQueryOperation):
            return node
        schema = node.table.table.resolved_schema
        primary_key = UniqueConstraint("pk", (key if "id" in schema.column_names else "name",))
        table = replace(node.table.table, resolved_schema=replace(schema, primary_key=primary_key))
        return replace(node, source=Lookups(), table=replace(node.table, table=table))

    plan = planned(f"SELECT o.name, d.id FROM {LEFT} JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON d.name = o.name", context)
    plan = plan_lookup_joins(transform_up(plan, QueryOperation, with_keys), context)
    assert unique_keys(plan)[id(plan)] == found


def test_a_key_is_cast_to_a_wider_integer_type(context: RuleContext) -> None:
    join = planned_join(context, "JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON o.age = d.id", Lookups())
    assert keys_of(join) == [("id", "CAST(age AS BIGINT)")]


def test_other_conditions_and_a_second_equality_stay_conditions(context: RuleContext) -> None:
    on = "d.name = o.name AND d.name = UPPER(o.name) AND d.id > o.age"
    join = planned_join(context, f"JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON {on}", Lookups())
    assert keys_of(join) == [("name", "name")]
    assert str(join.condition) == "((name = UPPER(name)) AND (id > CAST(age AS BIGINT)))"


def test_an_equality_with_a_constant_below_the_join_is_a_key(context: RuleContext) -> None:
    join = planned_join(
        context,
        "JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON d.id = o.age",
        Lookups(),
        "SELECT id, UPPER(name) AS name FROM u WHERE name = 'a' AND id > 1",
    )
    assert [name for name, _ in keys_of(join)] == ["id", "name"]
    assert list(map(str, join.side.filters)) == ["(id > 1)"]
    assert list(map(str, join.side.projection)) == ["id", "UPPER(name)"]


@pytest.mark.parametrize(
    ("condition", "source", "message"),
    [
        ("d.name = o.name", Scans(), r"its connector \(Scans\) does not support"),
        ("d.id > o.age", Lookups(), "must compare columns of the table"),
        ("d.id + 1 = o.age", Lookups(), "must compare columns of the table"),
    ],
)
def test_a_join_without_a_lookup_is_refused(context: RuleContext, condition: str, source: Any, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        planned_join(context, f"JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON {condition}", source)


def test_only_filters_and_projections_may_stand_above_the_table(context: RuleContext) -> None:
    right = "SELECT id, MAX(name) AS name FROM u GROUP BY id"
    with pytest.raises(TableException, match="applied to a query with Aggregate"):
        planned_join(context, "JOIN u FOR SYSTEM_TIME AS OF o.pt AS d ON d.id = o.age", Lookups(), right)


def test_a_plan_without_temporal_joins_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT t.name FROM t JOIN u ON t.name = u.name", context)
    assert plan_lookup_joins(plan, context) is plan
