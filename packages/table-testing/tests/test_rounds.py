from __future__ import annotations

import importlib

import pytest

from table_testing import rounds as module


@pytest.mark.parametrize(
    ("length", "count", "expected"), [("", 10, 2), ("", 3, 1), ("", 1, 1), ("night", 8, 8), ("night", 1, 1), ("short", 10, 2)]
)
def test_all_rounds_are_run_at_night_and_a_fifth_otherwise(length: str, count: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TESTS", length)
        importlib.reload(module)
        assert list(module.rounds(count)) == list(range(expected))
    importlib.reload(module)
