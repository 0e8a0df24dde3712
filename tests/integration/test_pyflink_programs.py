"""Programs written for PyFlink run after changing their import lines, on both engines."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment

MakeEnv = Callable[[str], TableEnvironment]
_HERE = Path(__file__).parent / "pyflink_programs"
EXPECTED: dict[str, Any] = {
    "word_count": [("be", 2), ("to", 2), ("is", 1), ("not", 1), ("or", 1), ("question", 1), ("that", 1), ("the", 1)],
    "scalar_functions": (
        [(3, 3, 3, 4, 36, "Ann: none"), (7, 7, 7, 8, 36, "Bob: 4")],
        [(30, 36), (70, 36)],
    ),
    "weighted_average": ([("Jay", 4.2), ("Lee", 5.8)], [4.2, 5.8], [(5.0,)]),
    "top_two": [("Hi", 2), ("Hi", 3), ("Hi2", 6), ("Hi2", 7)],
    "list_view": [
        [("x", ["a1", "a2", "a3"]), ("y", ["b1", "b2"])],
        [("x", ["a1", "a2", "a3"]), ("y", ["b1", "b2"])],
        [("x", 3), ("y", 2)],
    ],
    "map_view": ([(1, 2, "a2,b1:3"), (2, 2, "a1,b1:2")], [(2,)]),
    "window_aggregate": (
        [("Hi", datetime(2020, 1, 1), 2, 3), ("Ho", datetime(2020, 1, 1, 0, 10), 1, 4)],
        [(3, datetime(2020, 1, 1, 0, 10)), (4, datetime(2020, 1, 1, 0, 20))],
    ),
    "row_operations": [
        [(1, "hello-youhello-you"), (3, "hihi")],
        [(1, "hello-youhello-you"), (3, "hihi")],
        [(1, 0), (3, 0), (3, 1)],
        [(1, None), (3, 0), (3, 1)],
        [(1, 0, "hello"), (1, 1, "you"), (3, 0, "hi")],
        [("hello",), ("hi",), ("you",)],
    ],
}


@pytest.mark.parametrize("planner", ["arrow", "spark"])
@pytest.mark.parametrize("program", EXPECTED)
def test_program_runs_with_changed_imports(program: str, planner: str, make_env: MakeEnv) -> None:
    spec = importlib.util.spec_from_file_location(f"pyflink_program_{program}", _HERE / f"{program}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.run(make_env(planner)) == EXPECTED[program]
