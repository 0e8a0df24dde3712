"""Gives each ``test_<rule>.py`` its pairs of plans, and the context in which rules run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from table_api.delegation import Planner
from table_api.plan.context import RuleContext

sys.path.insert(0, str(Path(__file__).resolve().parent))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "pair" in metafunc.fixturenames:
        from plan_pairs import pairs_of

        pairs = pairs_of(Path(str(metafunc.module.__file__)).stem.removeprefix("test_"))
        metafunc.parametrize("pair", pairs, ids=[pair.title for pair in pairs])


@pytest.fixture
def context(session: Any) -> RuleContext:
    """The context with a planner that computes with integers."""
    from plan_pairs import Arithmetic

    return RuleContext(session, cast("Planner", Arithmetic()))
