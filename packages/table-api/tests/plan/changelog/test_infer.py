from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from table_api.operations import CollectModifyOperation, QueryOperation, SourceQueryOperation
from table_api.operations.changelog import DropUpdateBeforeQueryOperation, RankQueryOperation
from table_common.connector import ChangelogMode
from table_common.exceptions import TableException, ValidationException
from table_common.tree import preorder, transform_up

if TYPE_CHECKING:
    from conftest import Inference

ALL = ChangelogMode.all()
UPSERT = ChangelogMode.upsert()
COUNTS = "SELECT age AS id, COUNT(*) AS c FROM t GROUP BY age"


def test_aggregates_over_insertions_update_their_rows(inference: Inference) -> None:
    assert inference.collected(COUNTS) == ["Project I,UB,UA", "Aggregate I,UB,UA", "Project I", "TableScan I"]


def test_aggregates_over_updates_also_delete(inference: Inference) -> None:
    lines = inference.collected(f"SELECT c, COUNT(*) FROM ({COUNTS}) GROUP BY c")
    assert [line for line in lines if line.startswith("Aggregate")] == ["Aggregate I,UB,UA,D", "Aggregate I,UB,UA"]


@pytest.mark.parametrize(
    ("condition", "kinds"),
    [("JOIN", "I"), ("LEFT JOIN", "I,UB,UA,D"), ("FULL JOIN", "I,UB,UA,D")],
)
def test_outer_joins_over_insertions_retract(inference: Inference, condition: str, kinds: str) -> None:
    lines = inference.collected(f"SELECT t.age FROM t {condition} u ON t.name = u.name")
    assert f"Join {kinds}" in lines


def test_semi_joins_over_insertions_are_insert_only_and_anti_joins_retract(inference: Inference) -> None:
    assert "Join I" in inference.collected("SELECT age FROM t WHERE name IN (SELECT name FROM u)")
    assert "Join I,UB,UA,D" in inference.collected("SELECT age FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.name = t.name)")


def test_an_upsert_source_is_normalized_for_consumers_that_require_update_before(inference: Inference) -> None:
    lines = inference.collected("SELECT * FROM u", {"u": (UPSERT, ("id",))})
    assert lines == ["ChangelogNormalize I,UB,UA,D", "TableScan I,UA,PD"]


def test_the_key_of_an_upsert_source_is_read_even_if_not_selected(inference: Inference) -> None:
    lines = inference.collected("SELECT name FROM u", {"u": (UPSERT, ("id",))})
    assert lines == ["Project I,UB,UA,D", "ChangelogNormalize I,UB,UA,D", "TableScan I,UA,PD"]


def test_an_upsert_source_without_a_key_is_refused(inference: Inference) -> None:
    with pytest.raises(TableException, match=r"emits UPDATE_AFTER without UPDATE_BEFORE .* so it needs a primary key"):
        inference.collected("SELECT * FROM u", {"u": (UPSERT, ())})


def test_a_sink_keyed_by_the_upsert_key_receives_only_update_after(inference: Inference) -> None:
    lines = inference.written("SELECT id, MAX(name) AS name FROM u GROUP BY id", UPSERT, key=("id",))
    assert lines[:2] == ["Project I,UA", "Aggregate I,UA"]


def test_a_filter_over_updates_requires_update_before(inference: Inference) -> None:
    lines = inference.written("SELECT id, c FROM (SELECT id, MAX(name) AS c FROM u GROUP BY id) WHERE c < 'x'", UPSERT, key=("id",))
    assert "Filter I,UB,UA" in lines
    assert "Aggregate I,UB,UA" in lines


def test_an_upsert_source_written_by_its_key_is_not_normalized(inference: Inference) -> None:
    lines = inference.written("SELECT id, name FROM u", UPSERT, key=("id",), sources={"u": (UPSERT, ("id",))})
    assert lines == ["TableScan I,UA,PD"]


def test_a_sink_that_requires_full_deletions_receives_them(inference: Inference) -> None:
    lines = inference.written(
        "SELECT id, name FROM u", ChangelogMode.upsert(key_only_deletes=False), key=("id",), sources={"u": (UPSERT, ("id",))}
    )
    assert lines == ["ChangelogNormalize I,UA,D", "TableScan I,UA,PD"]


def test_an_insert_only_sink_refuses_an_updating_query(inference: Inference) -> None:
    with pytest.raises(ValidationException, match=r"Table c\.d\.u accepts no updates, but the query produces updates") as caught:
        inference.written("SELECT id, MAX(name) FROM u GROUP BY id", ChangelogMode.insert_only())
    assert "Aggregate(groupBy=[id]" in str(caught.value)
    assert "TO_CHANGELOG" in str(caught.value)


def test_joins_omit_update_before_if_upsert_keys_contain_the_join_key(inference: Inference) -> None:
    side = "(SELECT id, MAX(name) AS n FROM u GROUP BY id)"
    lines = inference.written(f"SELECT a.id, b.n FROM {side} a JOIN {side} b ON a.id = b.id", UPSERT, key=("id",))
    assert "Join I,UA" in lines
    inference.configuration.set_string("table.exec.sink.require-on-conflict", "false")
    lines = inference.written(f"SELECT a.id, b.n FROM {side} a JOIN {side} b ON a.n = b.n", UPSERT, key=("id",))
    assert "Join I,UB,UA" in lines


@pytest.mark.parametrize(
    ("order", "strategy", "below"),
    [("c DESC", "UPDATE_FAST", "Aggregate I,UA"), ("c", "RETRACT", "Aggregate I,UB,UA")],
)
def test_ranks_of_increasing_counts_do_not_require_update_before(inference: Inference, order: str, strategy: str, below: str) -> None:
    sql = f"SELECT id, c FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY {order}) AS n FROM ({COUNTS})) WHERE n <= 2"
    plan = inference.infer(CollectModifyOperation(inference.query(sql)))
    assert below in inference.lines(plan)
    (rank,) = [node for node in _nodes(plan.operations[0].child) if isinstance(node, RankQueryOperation)]
    assert rank.strategy is not None
    assert rank.strategy.name == strategy


def test_a_shared_node_meets_the_demands_of_all_consumers(inference: Inference) -> None:
    counts = inference.query("SELECT id, MAX(name) AS name FROM u GROUP BY id")
    upsert, collected = inference.sink(counts, UPSERT, key=("id",)), CollectModifyOperation(counts)
    assert inference.lines(inference.infer(upsert))[1] == "Project I,UA"
    lines = inference.lines(inference.infer(upsert, collected))
    assert lines[1:3] == ["DropUpdateBefore I,UA", "Project I,UB,UA"]
    assert lines[lines.index("CollectModify NONE") + 1] == "Project I,UB,UA"


def test_a_join_that_needs_only_update_after_of_a_shared_node_knows_its_key(inference: Inference) -> None:
    counts = inference.query("SELECT id, MAX(name) AS name FROM u GROUP BY id")
    join = inference.query("SELECT a.id, b.name FROM u a JOIN u b ON a.id = b.id", {"u": (ChangelogMode.insert_only(), ("id",))})
    join = transform_up(join, QueryOperation, lambda node: counts if isinstance(node, SourceQueryOperation) else node)
    plan = inference.infer(inference.sink(join, UPSERT, key=("id",)), CollectModifyOperation(counts))
    dropped = [node for node in _nodes(plan.operations[0].child) if isinstance(node, DropUpdateBeforeQueryOperation)]
    assert dropped
    assert {plan.upsert_key_of(node) for node in dropped} == {(0,)}


def _nodes(root: QueryOperation) -> list[QueryOperation]:
    return list(preorder(root, QueryOperation))


def test_to_changelog_requires_full_changes_and_emits_insertions(inference: Inference) -> None:
    lines = inference.collected("SELECT * FROM TO_CHANGELOG((SELECT name, COUNT(*) AS n FROM t GROUP BY name))")
    assert lines[:3] == ["ToChangelog I", "Project I,UB,UA", "Aggregate I,UB,UA"]


def test_an_insert_only_sink_accepts_from_changelog_with_only_insert_codes(inference: Inference) -> None:
    sql = "SELECT CAST(age AS BIGINT), CAST(age AS STRING) FROM FROM_CHANGELOG(TABLE t, DESCRIPTOR(name), MAP['c', '{}'])"
    assert inference.written(sql.format("INSERT"), ChangelogMode.insert_only())[1] == "FromChangelog I"
    with pytest.raises(ValidationException, match="accepts no deletions"):
        inference.written(sql.format("DELETE"), ChangelogMode.insert_only())


def test_to_changelog_completes_the_changes_of_an_upsert_source(inference: Inference) -> None:
    lines = inference.collected("SELECT * FROM TO_CHANGELOG(TABLE t)", {"t": (UPSERT, ("name",))})
    assert lines[:2] == ["ToChangelog I", "ChangelogNormalize I,UB,UA,D"]


def test_union_all_of_an_upsert_and_a_retract_input_normalizes_the_upsert_input(inference: Inference) -> None:
    sources = {"u": (UPSERT, ("id",)), "t": (ALL, ())}
    lines = inference.collected("SELECT id, name FROM u UNION ALL SELECT age, name FROM t", sources)
    assert lines == ["Union I,UB,UA,D", "ChangelogNormalize I,UB,UA,D", "TableScan I,UA,PD", "Project I,UB,UA,D", "TableScan I,UB,UA,D"]


def test_union_of_an_upsert_and_a_retract_input_normalizes_the_upsert_input(inference: Inference) -> None:
    sources = {"u": (UPSERT, ("id",)), "t": (ALL, ())}
    lines = inference.collected("SELECT id, name FROM u UNION SELECT age, name FROM t", sources)
    assert lines[lines.index("ChangelogNormalize I,UB,UA,D") + 1] == "TableScan I,UA,PD"
    assert lines.index("TableScan I,UB,UA,D") > lines.index("TableScan I,UA,PD")


def test_union_all_of_an_upsert_input_without_a_key_and_a_retract_input_is_refused(inference: Inference) -> None:
    with pytest.raises(TableException, match=r"emits UPDATE_AFTER without UPDATE_BEFORE .* so it needs a primary key"):
        inference.collected("SELECT id, name FROM u UNION ALL SELECT age, name FROM t", {"u": (UPSERT, ()), "t": (ALL, ())})
