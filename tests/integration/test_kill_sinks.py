"""Runs ``proofs/kill_sinks.py`` at a few points."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SINKS = (
    *("files", "partitioned-files", "overwritten-files", "overwritten-partitions", "statement-set", "replaced-table", "files-of-spark"),
    *("sqlite", "sqlite-wal"),
)


@pytest.mark.parametrize("sink", SINKS)
def test_killed_commits_are_atomic(run_proof: Callable[..., str], sink: str) -> None:
    assert f"{sink}: 6 points" in run_proof("kill_sinks.py", "--points", "6", "--seed", "7", "--sink", sink)
