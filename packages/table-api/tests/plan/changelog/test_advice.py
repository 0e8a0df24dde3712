from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from table_api.operations import CollectModifyOperation
from table_api.plan.changelog.advice import advice_on
from table_common.connector import ChangelogMode

if TYPE_CHECKING:
    from conftest import Inference, Sources

UPDATING: Sources = {"t": (ChangelogMode.all(), ())}


def advice(inference: Inference, sql: str, sources: Sources | None = None) -> list[str]:
    return advice_on(inference.infer(CollectModifyOperation(inference.query(sql, sources))))


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("SELECT name, COUNT(*) FROM t GROUP BY name", "a row for each group (name)"),
        ("SELECT DISTINCT name FROM t", "each distinct row"),
        ("SELECT a.name FROM t a JOIN t b ON a.age = b.age", "all rows of both inputs"),
        ("SELECT name FROM t INTERSECT SELECT name FROM t", "each distinct row of its inputs"),
    ],
)
def test_growing_state_is_reported(inference: Inference, sql: str, kept: str) -> None:
    assert any(f"keeps {kept} as long as the job runs" in text for text in advice(inference, sql))


def test_expiring_state_is_not_reported(inference: Inference) -> None:
    plan = inference.infer(CollectModifyOperation(inference.query("SELECT name, COUNT(*) FROM t GROUP BY name", None)))
    assert advice_on(plan, state_expires=True) == []


@pytest.mark.parametrize(
    ("sql", "state_expires", "kept"),
    [
        ("SELECT /*+ STATE_TTL('t' = '1 d') */ name, COUNT(*) FROM t GROUP BY name", False, []),
        ("SELECT /*+ STATE_TTL('t' = '0 s') */ name, COUNT(*) FROM t GROUP BY name", True, ["a row for each group (name)"]),
        ("SELECT /*+ STATE_TTL('t' = '1 d') */ DISTINCT name FROM t", False, []),
        ("SELECT /*+ STATE_TTL('t' = '0') */ DISTINCT name FROM t", True, ["each distinct row"]),
        ("SELECT /*+ STATE_TTL('a' = '1 d') */ a.name FROM t a JOIN t b ON a.age = b.age", False, ["all rows of its right input"]),
        ("SELECT /*+ STATE_TTL('a' = '0 s') */ a.name FROM t a JOIN t b ON a.age = b.age", True, ["all rows of its left input"]),
        ("SELECT /*+ STATE_TTL('a' = '1 d', 'b' = '2 d') */ a.name FROM t a JOIN t b ON a.age = b.age", False, []),
        ("SELECT /*+ STATE_TTL('a' = '0', 'b' = '0') */ a.name FROM t a JOIN t b ON a.age = b.age", True, ["all rows of both inputs"]),
    ],
)
def test_a_hint_decides_whether_state_expires(inference: Inference, sql: str, state_expires: bool, kept: list[str]) -> None:
    plan = inference.infer(CollectModifyOperation(inference.query(sql, None)))
    texts = advice_on(plan, state_expires=state_expires)
    assert [text.split(" keeps ")[1] for text in texts] == [f"{one} as long as the job runs." for one in kept]


def test_a_rank_keeps_all_rows_if_its_input_has_retractions(inference: Inference) -> None:
    sql = "SELECT name FROM (SELECT name, ROW_NUMBER() OVER (PARTITION BY name ORDER BY age) AS n FROM t) WHERE n <= 3"
    (kept,) = advice(inference, sql)
    assert "keeps its rows for each partition" in kept
    (kept,) = advice(inference, sql, UPDATING)
    assert "keeps all rows of each partition" in kept


@pytest.mark.parametrize(
    "sql", ["SELECT name FROM t WHERE age > 3", "SELECT COUNT(*) FROM t", "SELECT name FROM t UNION ALL SELECT name FROM t"]
)
def test_plans_with_bounded_state_cause_no_advice(inference: Inference, sql: str) -> None:
    assert advice(inference, sql) == []


def test_non_deterministic_functions_are_reported_only_over_updates(inference: Inference) -> None:
    sql = "SELECT name, RAND() AS r FROM t"
    assert advice(inference, sql) == []
    (text,) = advice(inference, sql, UPDATING)
    assert text.startswith("Project evaluates RAND again for each retraction")


def test_a_materializer_names_both_keys(inference: Inference) -> None:
    query = inference.query("SELECT age AS id, name FROM (SELECT name, MAX(age) AS age FROM t GROUP BY name)")
    sink = replace(inference.sink(query, ChangelogMode.upsert(), key=("id",)), on_conflict="DEDUPLICATE")
    first = advice_on(inference.infer(sink))[0]
    assert "keeps all rows of each primary key (id), because the query has the upsert key (name)." in first
