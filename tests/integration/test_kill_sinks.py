"""Runs ``proofs/kill_sinks.py`` at a few points."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_testing.rounds import rounds

SINKS = (
    *("files", "partitioned-files", "overwritten-files", "overwritten-partitions", "statement-set", "replaced-table", "files-of-spark"),
    *("sqlite", "sqlite-wal"),
)


@pytest.mark.parametrize("sink", SINKS)
def test_killed_commits_are_atomic(run_proof: Callable[..., str], sink: str) -> None:
    points = len(rounds(15))
    assert f"{sink}: {points} points" in run_proof("kill_sinks.py", "--points", str(points), "--seed", "7", "--sink", sink)
