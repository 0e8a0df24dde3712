"""Programs written for PyFlink run after ``python -m table_api.migrate``, on both engines."""

from __future__ import annotations

import importlib.util
import io
import shutil
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, Row, TableEnvironment
from table_api.migrate.command import main

MakeEnv = Callable[[str], TableEnvironment]
PROGRAMS = Path(__file__).parent / "pyflink_programs"
WITH_PANDAS = {"pandas_conversions", "pandas_functions"}
"""Programs that need pandas, which the distributions' tests with pandas run."""
SCHEMA_TEXT = "(\n  `id` INT NOT NULL,\n  `next` AS [id + 1],\n  CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED\n)"
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
    "basic_operations": [
        [("Ann", 150, 2), ("Bob", 60, 1)],
        [("Ann-USA", 31, 240), ("Ann-USA", 31, 60), ("Bob-DE", 25, 120)],
        [("Eve", None)],
        [("Ann",), ("Bob",), ("Eve",)],
        [("Eve",)],
        [("Ann",), ("Bob",)],
        [(60,), (80,)],
        [(3, 72, 120, 30)],
        [("Bob",), ("Eve",)],
    ],
    "mixing_sql_and_table_api": ([[["b", 20]], [[2, 5]], [[3, "B"], [4, "C"]]], ["id", "letter"], ["EXPR$0", "two"]),
    "catalogs": (
        [
            "shop",
            "sales",
            ["default_catalog", "shop"],
            ["main", "sales"],
            ["hole", "names", "orders"],
            ["names"],
            ("all sales", {"owner": "ann"}),
            ("a hole", {"connector": "blackhole"}),
            True,
            False,
            ["names", "pit"],
        ],
        [
            "DatabaseNotExistException",
            "TableNotExistException",
            "DatabaseAlreadyExistException",
            "TableNotExistException",
            "CatalogException",
        ],
    ),
    "windows": [
        [
            ("a", datetime(2024, 5, 1, 10, 0), datetime(2024, 5, 1, 10, 1), 3),
            ("a", datetime(2024, 5, 1, 10, 1), datetime(2024, 5, 1, 10, 2), 4),
            ("b", datetime(2024, 5, 1, 10, 0), datetime(2024, 5, 1, 10, 1), 3),
        ],
        [
            (datetime(2024, 5, 1, 9, 59, 30), 2),
            (datetime(2024, 5, 1, 10, 0), 3),
            (datetime(2024, 5, 1, 10, 0, 30), 2),
            (datetime(2024, 5, 1, 10, 1), 1),
        ],
        [
            ("a", datetime(2024, 5, 1, 10, 0), datetime(2024, 5, 1, 10, 1), 3),
            ("a", datetime(2024, 5, 1, 10, 1), datetime(2024, 5, 1, 10, 2), 4),
            ("b", datetime(2024, 5, 1, 10, 0), datetime(2024, 5, 1, 10, 1), 3),
        ],
        [
            (datetime(2024, 5, 1, 9, 59, 30), 2),
            (datetime(2024, 5, 1, 10, 0), 3),
            (datetime(2024, 5, 1, 10, 0, 30), 4),
            (datetime(2024, 5, 1, 10, 1), 4),
        ],
        [(datetime(1970, 1, 1), 1), (datetime(1970, 1, 1, 0, 0, 0, 2000), 5), (datetime(1970, 1, 1, 0, 0, 0, 4000), 9)],
        [("a", 1, 1), ("a", 2, 3), ("a", 4, 7), ("b", 3, 3)],
        [("a", 1, 1), ("a", 2, 2), ("a", 4, 3), ("b", 3, 1)],
    ],
    "configuration": [
        "1 h",
        2,
        True,
        0.5,
        "default",
        False,
        ["parallelism.default", "pipeline.rate", "table.dml-sync", "table.exec.timeout"],
        False,
        "c",
        "default_database",
        "1 h",
        "1",
        "Asia/Tokyo",
        True,
        "UTC",
        [[True]],
    ],
    "statement_sets": (['1;1.23;"2024-05-01 10:00:00.5"\n', '2;99.9;"2024-05-01 10:00:00"\n'], [(2, 99.9, datetime(2024, 5, 1, 10, 0))]),
    "json_documents": [
        [(1, "Germany", 123, True), (2, "China", 135, True), (3, "USA", None, False)],
        [
            (1, "Berlin", '{"city":"Berlin","country":"Germany"}', True),
            (2, "Shanghai", '{"city":"Shanghai","country":"China"}', True),
            (3, None, '{"country":"USA"}', True),
        ],
        [(1, 124), (2, 136), (3, 1)],
        [(1, '{"id":1,"known":true}'), (2, '{"id":2,"known":true}'), (3, '{"id":3,"known":false}')],
    ],
    "change_data": [("rocks", 5.5), ("scooter", 5.25)],
    "columns": [
        (["a", "b", "c", "d"], [(1, "Hi", 2.5, 2), (2, "Hello", 0.5, 3)]),
        (["a", "b", "c"], [(10, "Hi", 2.5), (20, "Hello", 0.5)]),
        (["a", "name", "c"], [(1, "Hi", 2.5), (2, "Hello", 0.5)]),
        (["a", "b"], [(1, "Hi"), (2, "Hello")]),
        (["a", "b"], [(1, "Hi"), (2, "Hello")]),
        (["b", "c"], [("Hello", 0.5), ("Hi", 2.5)]),
        (["size"], [("many",), (None,)]),
        (["first", "value", "y", "n"], [(1, "Hi", "Hi", 2), (2, "Hello", "Hello", 2)]),
        (["r$x", "r$y"], [(1, "Hi"), (2, "Hello")]),
        (["loud", "start", "c"], [("Hello!", "He", 0), ("Hi!", "Hi", 2)]),
        (["x", "y", "z"], [(1, "abc", 2.0), (2, "def", 3.0)]),
    ],
    "lateral_joins": [
        [(0, "nothing", 7), (1, "be", 2), (1, "or", 2), (1, "to", 2), (2, "x", 1)],
        [(0, None), (1, 0), (2, 0), (2, 1)],
        [("be",), ("or",), ("to",), ("x",)],
        [("n",), ("t",), ("x",)],
        [(1, "be"), (1, "or"), (1, "to")],
        [(0, "nothing"), (1, "be"), (1, "or"), (1, "to"), (2, "x")],
    ],
    "data_streams": [
        ["a", "b"],
        ["id", "word", "twice"],
        [(1, "Hi"), (2, "Hello"), (3, "Hi")],
        [("Hello", 1), ("Hi", 2)],
        [(1, "Hi", 2), (2, "Hello", 4), (3, "Hi", 6)],
    ],
    "jobs": [True, True, True, True, True, [1], True, True, True],
    "function_errors": (
        [(0, True), (1, True), (2, True), (3, True), (4, True), (5, True), (6, True), (7, True), (8, True), (9, True), (10, True)],
        [(1,)],
    ),
    "values": (
        [
            True,
            -128,
            32767,
            1,
            4611686018427387904,
            1.23,
            1.23,
            Decimal("1.25"),
            Decimal("1234567890123456789012345678901234567.8"),
            "äöü",
            b"\x00\xff",
            date(2024, 5, 1),
            time(1, 2, 3, 456000),
            datetime(2024, 5, 1, 1, 2, 3, 456000),
            [1, 2],
            {"a": 1},
            Row(p=2, q="b"),
        ],
        [None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None],
        ["<Row(1, <Row(2, 'b')>)>", True, True, "b", True, 2, True, True, (True, False, True), {"name": "Ann", "age": 3}, True],
        [
            "flag",
            "tiny",
            "small",
            "int",
            "big",
            "float",
            "double",
            "decimal",
            "long_decimal",
            "text",
            "bytes",
            "date",
            "time",
            "timestamp",
            "list",
            "map",
            "row",
        ],
        ["a", "b"],
    ),
    "aliases": [[(2, "A")], [("a", 4), ("b", 2)], [(0, 1), (1, 2)], [("a", 5), ("b", 3)], [(3, "a")], [(1, 0), (2, 0), (2, 1)]],
    "default_arguments": (
        [
            [("bird",), ("cat and",)],
            [("a", 1), ("and", 3), ("bird", 4), ("cat", 3), ("dog", 3), ("the", 3), ("the", 3)],
            [(1,), (3,)],
        ],
        SCHEMA_TEXT,
        SCHEMA_TEXT + "\nCOMMENT 'ids'\nWITH (\n  'connector' = 'datagen'\n)",
    ),
    "asynchronous_functions": ([(1, 8), (2, 9)], [("hello Ann", 2), ("hello Bob", 4)]),
}
"""What each program returns; PyFlink 2.3 returned the same, except where its note says otherwise."""


@pytest.mark.parametrize("planner", ["arrow", "spark"])
@pytest.mark.parametrize("program", EXPECTED)
def test_program_runs_after_its_migration(program: str, planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    file = tmp_path / f"{program}.py"
    shutil.copyfile(PROGRAMS / file.name, file)
    said = io.StringIO()
    assert main([str(file)], said, said) == 0, said.getvalue()
    module = _module(file)
    assert module.run(_environment(module, make_env(planner), planner)) == EXPECTED[program]


def test_there_is_a_result_for_each_program() -> None:
    assert {file.stem for file in PROGRAMS.glob("*.py")} == {*EXPECTED, *WITH_PANDAS}


def _module(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"pyflink_program_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _environment(module: Any, env: TableEnvironment, planner: str) -> TableEnvironment:
    """Returns the environment that a program creates itself, or the one given."""
    if not hasattr(module, "create"):
        return env
    created: TableEnvironment = module.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())
    created.get_config().set("table.local-time-zone", "UTC").set("table.dml-sync", "true")
    return created
