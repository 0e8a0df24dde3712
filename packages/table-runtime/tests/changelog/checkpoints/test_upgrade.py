from __future__ import annotations

from typing import Any

import pytest

from table_runtime.checkpoints.upgrade import Place, Verdict, compare


def aggregate(keys: list[list[str]], values: list[list[str]], details: str = "") -> dict[str, Any]:
    return {"operator": "Aggregate", "keys": keys, "values": values, "details": details}


def rank(details: str, *columns: list[str]) -> dict[str, Any]:
    return {"operator": "Rank", "details": details, "inputs": [list(columns)]}


K, S = ["t.k", "INT"], ["t.s", "VARCHAR(10)"]
SUM, COUNT = ["SUM(t.v)", "BIGINT"], ["COUNT(*)", "BIGINT NOT NULL"]
OLD = aggregate([K, S], [SUM, COUNT])


@pytest.mark.parametrize(
    ("new", "verdict", "keys", "values"),
    [
        (OLD, Verdict.EQUAL, None, None),
        (aggregate([S, K], [SUM, COUNT]), Verdict.COMPATIBLE, (1, 0), (0, 1)),
        (aggregate([K, S], [COUNT]), Verdict.COMPATIBLE, (0, 1), (1,)),
        (aggregate([K, ["t.s", "VARCHAR(20) NOT NULL"]], [SUM, COUNT]), Verdict.COMPATIBLE, (0, 1), (0, 1)),
        (aggregate([K, ["t.s", "VARCHAR(9)"]], [SUM, COUNT]), Verdict.NEW, None, None),
        (aggregate([K], [SUM, COUNT]), Verdict.NEW, None, None),
        (aggregate([K, S], [SUM, COUNT, ["MAX(t.v)", "INT"]]), Verdict.NEW, None, None),
        (aggregate([S, K], [SUM, COUNT], "((0,), ())"), Verdict.NEW, None, None),
    ],
)
def test_state_of_aggregates(new: dict[str, Any], verdict: Verdict, keys: object, values: object) -> None:
    claim, *lost = compare({"A#0": OLD}, {"A#0": new}).claims
    assert (claim.verdict, claim.keys, claim.values) == (verdict, keys, values)
    assert [each.verdict for each in lost] == ([Verdict.LOST] if verdict is Verdict.NEW else [])


def test_distinct_values_cannot_be_reordered() -> None:
    old = aggregate([K], [SUM, ["COUNT(DISTINCT t.v)", "BIGINT"]])
    new = aggregate([K], [["COUNT(DISTINCT t.v)", "BIGINT"]])
    assert not compare({"A#0": old}, {"A#0": new}).is_possible


def layout(new: dict[str, Any], functions: list[str], distinct: list[int | None], kept: str = "A") -> dict[str, Any]:
    return {**new, "kept": kept, "functions": functions, "distinct": distinct}


def test_distinct_values_go_with_their_tables() -> None:
    values = [["COUNT(DISTINCT t.v)", "BIGINT"], ["SUM(DISTINCT t.w)", "INT"], ["COUNT(DISTINCT t.w)", "BIGINT"]]
    old = layout(aggregate([K], [SUM, *values]), ["S", "C", "S", "C"], [None, 0, 1, 1])
    new = layout(aggregate([K], [values[2], values[1], SUM]), ["C", "S", "S"], [0, 0, None])
    (claim,) = compare({"A#0": old}, {"A#0": new}).claims
    assert (claim.values, claim.distinct) == ((3, 2, 0), (1,))


def test_another_kind_of_state_is_not_used() -> None:
    old = layout(aggregate([K], [SUM, COUNT]), ["S", "C"], [None, None])
    assert compare({"A#0": old}, {"A#0": layout(aggregate([K], [COUNT]), ["C"], [None])}).is_possible
    for other in (layout(aggregate([K], [COUNT]), ["X"], [None]), layout(aggregate([K], [COUNT]), ["C"], [None], "B")):
        assert not compare({"A#0": old}, {"A#0": other}).is_possible


def test_signatures_of_older_manifests_have_no_kinds_of_state() -> None:
    new = layout(OLD, ["S", "C"], [None, None])
    assert compare({"A#0": OLD}, {"A#0": new}).claims[0].verdict is Verdict.EQUAL
    assert compare({"A#0": OLD}, {"A#0": layout(aggregate([K, S], [COUNT]), ["C"], [None])}).is_possible


def test_rows_may_have_wider_types_but_not_others() -> None:
    old = {"R#0": rank("order by v", ["t.d", "DECIMAL(10, 2)"])}
    assert compare(old, {"R#0": rank("order by v", ["t.d", "DECIMAL(12, 2)"])}).is_possible
    assert not compare(old, {"R#0": rank("order by v", ["t.d", "DECIMAL(12, 3)"])}).is_possible
    assert not compare(old, {"R#0": rank("order by w", ["t.d", "DECIMAL(10, 2)"])}).is_possible


def test_operators_are_found_by_signature_before_name() -> None:
    other = aggregate([K], [COUNT])
    upgrade = compare({"A#0": OLD, "A#1": other}, {"A#0": other, "A#1": OLD})
    assert [(claim.new, claim.old) for claim in upgrade.claims] == [("A#0", "A#1"), ("A#1", "A#0")]
    assert upgrade.is_possible


def test_the_difference_is_said() -> None:
    claim = compare({"A#0": OLD}, {"A#0": aggregate([K], [SUM, COUNT])}).claims[0]
    assert claim.reason == "its keys were [t.k: INT, t.s: VARCHAR(10)] and are [t.k: INT]"


def test_operators_that_keep_the_same_are_found_by_their_places() -> None:
    small, large = Place("v < 0", ("s",)), Place("v > 0", ("l",))
    both = {"A#0": OLD, "A#1": OLD}

    def claims(new_places: dict[str, Place]) -> list[str | None]:
        return [claim.old for claim in compare(both, both, {"A#0": small, "A#1": large}, new_places).claims]

    assert claims({"A#0": small, "A#1": large}) == ["A#0", "A#1"]
    assert claims({"A#0": large, "A#1": small}) == ["A#1", "A#0"]
    assert claims({"A#0": Place("v > 9", ("l",)), "A#1": small}) == ["A#1", "A#0"]  # by the sink
    assert claims({"A#0": Place("v > 9", ("x",)), "A#1": small}) == ["A#1", "A#0"]  # what is left
    assert claims({}) == ["A#0", "A#1"]


def test_a_state_with_another_name_is_renamed() -> None:
    other = aggregate([K], [COUNT])
    upgrade = compare({"A#0": OLD, "A#1": other}, {"A#0": other, "A#1": OLD})
    assert (upgrade.renames, upgrade.converts) == (True, False)
    assert not compare({"A#0": OLD}, {"A#0": OLD}).renames
