"""What a plan says about its levels."""

from __future__ import annotations

import pytest
from all_graphs import STATEMENTS, Graphs

from table_runtime.streaming.shares.cut import OutputKey, cut
from table_runtime.streaming.shares.describe_levels import describe_levels


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("aggregate of aggregate", ["GroupAggregate by hash[k]", "GroupAggregate by hash[n]"]),
        ("no groups", ["GroupAggregate by single"]),
        ("join", ["Join by hash[k] and hash[k]"]),
        ("join of computed keys", ["GroupAggregate by hash[k], Project, GroupAggregate by hash[k]", "Join by hash[keys]"]),
        ("join of aggregates", ["GroupAggregate by hash[k], Project, GroupAggregate by hash[k], Project, Join"]),
        ("rank", ["Rank by hash[k]"]),
    ],
)
def test_each_level_has_its_operators_and_how_rows_come_to_them(name: str, above: list[str], graphs: Graphs) -> None:
    graph = graphs.of(STATEMENTS[name])
    first, *others = describe_levels(graph, cut(graph, 3), "3 shares").splitlines()
    assert first.startswith("level 0, a task per split: ")
    assert graph.sources[0].table in first
    assert [line.partition(": ")[0] for line in others] == [f"level {number}, 3 shares" for number in range(1, len(above) + 1)]
    for line, text in zip(others, above, strict=True):
        assert text in line


def test_outputs_that_are_divided_by_their_key_are_named(graphs: Graphs) -> None:
    graph = graphs.of(STATEMENTS["groups"])
    last = describe_levels(graph, cut(graph, 3, [OutputKey((1,))]), "3 shares").splitlines()[-1]
    assert last == f"level 2, 3 shares: output 0 by hash[{graph.nodes[-1].operator.schema.names[1]}]"
