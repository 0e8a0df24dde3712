"""Operators with a share of a few hundred bytes, which must spill."""

from __future__ import annotations

import pytest

from table_runtime.operators.spill import account

SHARE = 400


@pytest.fixture
def tiny_share(monkeypatch: pytest.MonkeyPatch) -> int:
    """Sets the share of each operator; returns its size in bytes."""
    monkeypatch.setattr(account, "FIXED", SHARE)
    return SHARE
