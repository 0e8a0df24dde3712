from __future__ import annotations

import pytest
from plan_pairs import planned

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.check_versioned_joins import check_versioned_joins
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_common.exceptions import ValidationException

RULES = (push_filter_down, merge_projects, recognize_ranks)


def joined(condition: str, keys: str, context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> QueryOperation:
    """Returns the join with the last row of each key; without ``keys`` with all rows."""
    monkeypatch.setattr(context.session, "is_streaming_mode", True, raising=False)
    last = f"SELECT k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY ts DESC) AS n FROM e) WHERE n = 1"
    versions = last if keys else "SELECT * FROM e"
    query = f"WITH versions AS ({versions}) SELECT a.v, b.v FROM e AS a LEFT JOIN versions FOR SYSTEM_TIME AS OF a.ts AS b ON {condition}"
    return planned(query, context, RULES)


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("a.k = b.k", "k"),
        ("UPPER(a.k) = b.k", "k"),
        ("b.k = CONCAT(a.k, 'x') AND a.v + 1 = b.v", "k, v"),
        ("a.v = CAST(b.v AS BIGINT)", "v"),
        ("b.k = a.k AND a.v < b.v", "k"),
        ("a.k = b.k AND a.v = b.v", "k, v"),
        ("a.k = b.k AND a.v = b.v", "k"),
    ],
)
def test_conditions_with_all_columns_of_the_key_are_accepted(
    condition: str, keys: str, context: RuleContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = joined(condition, keys, context, monkeypatch)
    assert check_versioned_joins(plan, context) is plan


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("a.v = b.v", "k"),
        ("a.k = b.k", "k, v"),
        ("a.k < b.k", "k"),
        ("a.k = b.k OR a.v = b.v", "k"),
        ("TRUE", "k"),
        ("a.k = UPPER(b.k)", "k"),
        ("b.k = 'a'", "k"),
        ("a.k = CONCAT(b.k, a.k)", "k"),
        ("CONCAT(a.k, b.k) = b.k", "k"),
    ],
)
def test_conditions_without_a_column_of_the_key_are_refused(
    condition: str, keys: str, context: RuleContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValidationException, match=rf"all columns of the right table's primary key \({keys}\) for equality") as caught:
        check_versioned_joins(joined(condition, keys, context, monkeypatch), context)
    assert "left.column = right.column" in str(caught.value.hint)


def test_a_right_side_without_key_is_refused(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationException, match="it has no primary key") as caught:
        check_versioned_joins(joined("a.k = b.k", "", context, monkeypatch), context)
    assert "ROW_NUMBER() OVER" in str(caught.value.hint)


def test_plans_without_such_joins_are_not_looked_at(context: RuleContext) -> None:
    plan = planned("SELECT a.v FROM e AS a JOIN e AS b ON a.k = b.k", context)
    assert check_versioned_joins(plan, context) is plan
