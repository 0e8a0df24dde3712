from __future__ import annotations

from typing import Any

import pytest

from table_runtime.streaming.checkpoints.state_compatibility import OperatorId, Verdict, compare


def layout(new: dict[str, Any], functions: list[str], distinct: list[int | None], kept: str = "A") -> dict[str, Any]:
    numbers = sorted({number for number in distinct if number is not None})
    tables = {
        "counts": ["int64"],
        **{f"function{n}": ["int64"] for n in range(len(functions))},
        **{f"distinct{n}": ["int32"] for n in numbers},
    }
    return {**new, "kept": kept, "functions": functions, "distinct": distinct, "tables": tables}


def aggregate(keys: list[list[str]], values: list[list[str]], **details: str) -> dict[str, Any]:
    new = {"version": 2, "operator": "Aggregate", "keys": keys, "values": values, "details": details, "rows": ["t"]}
    return layout(new, ["S" if text.startswith("SUM") else "C" for text, *_ in values], [None] * len(values))


def rank(order: str, *columns: list[str], types: tuple[str, ...] = (), rows: str = "t") -> dict[str, Any]:
    return {
        "version": 2,
        "operator": "Rank",
        "details": {"order_by": order},
        "inputs": [list(columns)],
        "rows": [rows],
        "changes": ["I"],
        "tables": {"rows": list(types)},
    }


K, S = ["t.k", "INT"], ["t.s", "VARCHAR(10)"]
SUM, COUNT = ["SUM(t.v)", "BIGINT", "INT"], ["COUNT(*)", "BIGINT NOT NULL"]
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
        (aggregate([S, K], [SUM, COUNT], grouping_sets="[[0], []]"), Verdict.NEW, None, None),
        ({**OLD, "rows": ["t where v > 1"]}, Verdict.NEW, None, None),
        ({**OLD, "tables": {**OLD["tables"], "counts": ["int32"]}}, Verdict.NEW, None, None),
        (aggregate([K, S], [["SUM(t.v)", "BIGINT", "SMALLINT"], COUNT]), Verdict.NEW, None, None),
    ],
)
def test_state_of_aggregates(new: dict[str, Any], verdict: Verdict, keys: object, values: object) -> None:
    claim, *lost = compare({"A#0": OLD}, {"A#0": new}).claims
    assert (claim.verdict, claim.keys, claim.values) == (verdict, keys, values)
    assert [each.verdict for each in lost] == ([Verdict.LOST] if verdict is Verdict.NEW else [])


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


def test_signatures_of_older_manifests_do_not_say_enough() -> None:
    older = {name: value for name, value in OLD.items() if name not in ("version", "rows", "tables")}
    (claim, _) = compare({"A#0": older}, {"A#0": OLD}).claims
    assert (claim.verdict, claim.reason[:40]) == (Verdict.NEW, "an older version wrote it, without all t")


def test_rows_may_have_wider_types_but_not_others() -> None:
    def of(order: str, digits: str, rows: str = "t") -> dict[str, Any]:
        return {"R#0": rank(order, ["t.d", f"DECIMAL({digits})"], types=(f"decimal128({digits})",), rows=rows)}

    old = of("v", "10, 2")
    assert compare(old, of("v", "12, 2")).is_possible
    assert not compare(old, of("v", "12, 3")).is_possible
    assert not compare(old, of("w", "10, 2")).is_possible
    assert not compare(old, of("v", "12, 2", "u")).is_possible


def test_operators_are_found_by_signature_before_name() -> None:
    other = aggregate([K], [COUNT])
    upgrade = compare({"A#0": OLD, "A#1": other}, {"A#0": other, "A#1": OLD})
    assert [(claim.new, claim.old) for claim in upgrade.claims] == [("A#0", "A#1"), ("A#1", "A#0")]
    assert upgrade.is_possible


def test_the_difference_is_said() -> None:
    claim = compare({"A#0": OLD}, {"A#0": aggregate([K], [SUM, COUNT])}).claims[0]
    assert claim.reason == "its keys were [t.k: INT, t.s: VARCHAR(10)] and are [t.k: INT]"


def test_operators_that_keep_the_same_are_found_by_their_places() -> None:
    small, large = OperatorId("v < 0", ("s",)), OperatorId("v > 0", ("l",))
    both = {"A#0": OLD, "A#1": OLD}

    def claims(new_ids: dict[str, OperatorId]) -> list[str | None]:
        return [claim.old for claim in compare(both, both, {"A#0": small, "A#1": large}, new_ids).claims]

    assert claims({"A#0": small, "A#1": large}) == ["A#0", "A#1"]
    assert claims({"A#0": large, "A#1": small}) == ["A#1", "A#0"]
    assert claims({"A#0": OperatorId("v > 9", ("l",)), "A#1": small}) == ["A#1", "A#0"]  # by the sink
    assert claims({"A#0": OperatorId("v > 9", ("x",)), "A#1": small}) == ["A#1", "A#0"]  # what is left
    assert claims({}) == ["A#0", "A#1"]


def test_a_state_with_another_name_is_renamed() -> None:
    other = aggregate([K], [COUNT])
    upgrade = compare({"A#0": OLD, "A#1": other}, {"A#0": other, "A#1": OLD})
    assert (upgrade.renames, upgrade.converts) == (True, False)
    assert not compare({"A#0": OLD}, {"A#0": OLD}).renames


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            aggregate([K], [SUM], window="TumbleWindow(size=60000)"),
            aggregate([K], [SUM], window="TumbleWindow(size=10000)"),
            "its window was ",
        ),
        (rank("v", K), rank("w", K), "its order by was v and is w"),
        (rank("v", K), rank("v", S), "the columns of its inputs were [t.k: INT] and are [t.s: VARCHAR(10)]"),
        (rank("v", K), rank("v", K, rows="u"), "the rows of its inputs were t and are u"),
        (rank("v", K), {**rank("v", K), "changes": ["I,UA by [t.k]"]}, "the changes of its inputs were I and are I,UA by [t.k]"),
        (rank("v", K), rank("v", K, types=("int32",)), "its state is kept in other tables"),
    ],
)
def test_each_difference_is_said(old: dict[str, Any], new: dict[str, Any], reason: str) -> None:
    assert reason in compare({"R#0": old}, {"R#0": new}).claims[0].reason
