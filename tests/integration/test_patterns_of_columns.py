"""Patterns from columns: the same results on both engines, in bounded time for any pattern."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pyarrow as pa
import pytest

from table_api import DataTypes, TableEnvironment
from table_api.udf import udf

MakeEnv = Callable[[str], TableEnvironment]

LETTERS = ["a", "b", "%", "_", "\\", "\\E", "$1", ".", "\n", "é", "😀", "(", "["]


def is_like(text: str, pattern: str) -> bool:
    """LIKE without ESCAPE, character by character."""
    reached = {0}  # possible end positions of the pattern read so far
    for character in pattern:
        if character == "%":
            reached = set(range(min(reached, default=len(text) + 1), len(text) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(text) and character in ("_", text[at])}
    return len(text) in reached


def rows(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in env.execute_sql(query).to_arrow().to_pylist()]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_like_with_a_pattern_column_equals_like_with_a_constant(make_env: MakeEnv, engine: str) -> None:
    print(f"seed: {(seed := 20261122)}")
    chance = random.Random(seed)
    texts = ["".join(chance.choices(LETTERS, k=chance.randrange(7))).replace("%", "a").replace("_", "b") for _ in range(30)]
    patterns = ["".join(chance.choices([*LETTERS, "%", "%", "_"], k=chance.randrange(8))) for _ in range(60)]
    pairs = list(product(texts, patterns)) + [(text, "%".join(text[::2])) for text in texts]
    env = make_env(engine)
    env.create_temporary_view("pairs", env.from_arrow(pa.table({"s": [s for s, _ in pairs], "p": [p for _, p in pairs]})))
    found = rows(env, "SELECT s, p, s LIKE p, s NOT LIKE p FROM pairs")
    assert sorted(found) == sorted((s, p, is_like(s, p), not is_like(s, p)) for s, p in pairs)
    constants = chance.sample(patterns, 15)
    # None of them contains a quotation mark.
    query = " UNION ALL ".join(f"SELECT {number} AS n, s, s LIKE '{pattern}' FROM t" for number, pattern in enumerate(constants))
    env.create_temporary_view("t", env.from_arrow(pa.table({"s": texts})))
    assert sorted(rows(env, query)) == sorted((n, s, is_like(s, p)) for n, p in enumerate(constants) for s in texts)


@pytest.mark.parametrize("engine", ["arrow", "spark"])
@pytest.mark.parametrize("is_constant", [True, False])
def test_like_with_many_wildcards_runs_in_bounded_time(make_env: MakeEnv, engine: str, is_constant: bool) -> None:
    env = make_env(engine)
    env.get_config().set("table.exec.timeout", "60 s")
    pattern = "%a" * 12 + "%b%c"
    env.create_temporary_view("t", env.from_arrow(pa.table({"s": ["a" * 3000, "a" * 3000 + "bc"], "p": [pattern, pattern]})))
    assert rows(env, f"SELECT s LIKE {repr(pattern) if is_constant else 'p'} FROM t") == [(False,), (True,)]


HOSTILE = {
    "REGEXP(s, p)": False,
    "s SIMILAR TO p": False,
    "REGEXP_COUNT(s, p)": 0,
    "REGEXP_EXTRACT(s, p)": None,
    "REGEXP_EXTRACT_ALL(s, p)": [],
    "REGEXP_INSTR(s, p)": 0,
    "REGEXP_REPLACE(s, p, '')": "a" * 60 + "b",
    "REGEXP_SUBSTR(s, p)": None,
    "CARDINALITY(STR_TO_MAP(s, p, '='))": 1,
}


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_a_hostile_pattern_from_a_column_runs_in_bounded_time(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.get_config().set("table.exec.timeout", "60 s")
    env.create_temporary_view("t", env.from_arrow(pa.table({"s": ["a" * 60 + "b"], "p": ["(a+)+(a+)+c"]})))
    assert rows(env, f"SELECT {', '.join(HOSTILE)} FROM t") == [tuple(HOSTILE.values())]


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_a_pattern_of_a_column_in_the_condition_of_a_join(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.create_temporary_view("l", env.from_arrow(pa.table({"n": [1, 2, 3, 4], "s": ["ab", "ab", "cd", None]})))
    env.create_temporary_view("r", env.from_arrow(pa.table({"p": ["a.", "a", "x", None]})))
    pairs = [(1, "a"), (1, "a."), (2, "a"), (2, "a.")]
    left, right = [(3, None), (4, None)], [(None, None), (None, "x")]
    expected = {"JOIN": pairs, "LEFT JOIN": pairs + left, "RIGHT JOIN": pairs + right, "FULL JOIN": pairs + left + right}
    for join, wanted in expected.items():
        found = rows(env, f"SELECT n, p FROM l {join} r ON REGEXP(s, p) AND n < 10")
        assert sorted(found, key=repr) == sorted(wanted, key=repr), join
    assert rows(env, "SELECT n FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE REGEXP(s, p)) ORDER BY n") == [(3,), (4,)]
    assert rows(env, "SELECT n FROM l WHERE EXISTS (SELECT 1 FROM r WHERE REGEXP(s, p)) ORDER BY n") == [(1,), (2,)]


@udf(result_type=DataTypes.BOOLEAN())
def is_longer(one: str, other: str) -> bool:
    return len(one) > len(other)


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_a_user_function_over_both_sides_of_an_outer_join(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.create_temporary_function("is_longer", is_longer)
    env.create_temporary_view("l", env.from_arrow(pa.table({"s": ["a", "abc", "abc"]})))
    env.create_temporary_view("r", env.from_arrow(pa.table({"t": ["ab", "abcd"]})))
    found = rows(env, "SELECT s, t FROM l FULL JOIN r ON is_longer(s, t)")
    assert sorted(found, key=repr) == sorted([("abc", "ab"), ("abc", "ab"), ("a", None), (None, "abcd")], key=repr)
