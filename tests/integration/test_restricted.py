"""A short form of ``proofs/restricted.py``: statements and commands of a restricted session do not get out."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(("engine", "count"), [("arrow", 120), ("spark", 12)])
def test_nothing_gets_out_of_the_restricted_mode(run_proof: Callable[..., str], engine: str, count: int) -> None:
    printed = run_proof("restricted.py", "--count", str(count), "--seed", "5", "--engine", engine, "--no-control")
    assert f"{count} tries" in printed
    assert "0 through" in printed
