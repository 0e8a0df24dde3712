"""Regular expressions match as in Java, compared with Java's own matcher, on both engines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from java_pattern_grammar import random_pattern, random_text

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException
from table_common.java_patterns import read_java_pattern
from table_runtime.kernels.support.java_matching import java_pattern

MakeEnv = Callable[[str], TableEnvironment]
Spans = list[list[tuple[int, int]]]
BOTH = pytest.mark.parametrize("engine", ["arrow", "spark"])


def java_spans(jvm: Any, pattern: str, text: str) -> Spans | None:
    """Returns Java's matches and groups; None if the pattern is invalid."""
    from pyspark.errors import IllegalArgumentException

    try:
        compiled = jvm.java.util.regex.Pattern.compile(pattern)
    except IllegalArgumentException:
        return None
    matcher, found = compiled.matcher(text), []
    while matcher.find():
        found.append([(matcher.start(group), matcher.end(group)) for group in range(matcher.groupCount() + 1)])
    return found


def test_matches_and_groups_are_those_of_java(spark: Any) -> None:
    print(f"seed: {(seed := random.randrange(1_000_000))}")
    chance = random.Random(seed)
    unsupported = 0
    for _ in range(250):
        pattern = random_pattern(chance)
        text = random_text(chance).replace("😀", "")  # two characters in Java, which may split it
        wanted = java_spans(spark._jvm, pattern, text)
        try:
            ours = java_pattern(pattern)
            found = None if ours is None else list(ours.finditer(text))
        except TableRuntimeException as error:
            if wanted is None or not re.search("does not support|takes too long", str(error)):
                raise
            unsupported += 1
            continue
        assert (ours is None) == (wanted is None), pattern
        if ours is None or wanted is None or found is None:
            continue
        groups = [group for group in range(ours.groups + 1) if group not in ours.uncertain_groups]
        expected = [[spans[group] for group in groups] for spans in wanted]
        assert [[match.span(group) for group in groups] for match in found] == expected, (pattern, text)
    assert unsupported < 20


@BOTH
def test_an_invalid_pattern_in_a_column_matches_nothing(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.create_temporary_view("t", env.from_arrow(pa.table({"s": ["a=1", "b=1", "b"], "p": ["[", "b", "("]})))
    result = env.execute_sql("SELECT REGEXP(s, p), REGEXP_COUNT(s, p), REGEXP_SUBSTR(s, p) FROM t").to_arrow().to_pylist()
    assert [tuple(row.values()) for row in result] == [(False, None, None), (True, 1, "b"), (False, None, None)]


@BOTH
def test_the_group_number_can_come_from_a_column(make_env: MakeEnv, engine: str) -> None:
    env = make_env(engine)
    env.create_temporary_view("t", env.from_arrow(pa.table({"n": pa.array([0, 1, 2, -1], pa.int32())})))
    result = env.execute_sql("SELECT REGEXP_EXTRACT('a', '(a)', n), REGEXP_EXTRACT_ALL('a', '(a)', n) FROM t").to_arrow().to_pylist()
    assert [tuple(row.values()) for row in result] == [("a", ["a"]), ("a", ["a"]), (None, None), (None, None)]


@BOTH
@pytest.mark.parametrize("pattern", ["'['", "p"])
def test_an_invalid_separator_pattern_is_refused(make_env: MakeEnv, engine: str, pattern: str) -> None:
    env = make_env(engine)
    env.create_temporary_view("t", env.from_arrow(pa.table({"s": ["a=1"], "p": ["["]})))
    with pytest.raises(TableRuntimeException, match=r"'\[' is not a regular expression"):
        env.execute_sql(f"SELECT STR_TO_MAP(s, {pattern}, '=') FROM t").to_arrow()


def test_engines_agree_on_random_constant_patterns(make_env: MakeEnv) -> None:
    print(f"seed: {(seed := random.randrange(1_000_000))}")
    chance = random.Random(seed)
    texts = [random_text(chance).replace("😀", "") for _ in range(20)]
    patterns: list[str] = []
    while len(patterns) < 25:
        pattern = random_pattern(chance)
        read = read_java_pattern(pattern)
        if read is not None and read.unsupported is not None:
            continue
        try:
            ours = java_pattern(pattern)
            for text in texts:
                list(ours.finditer(text) if ours is not None else ())
        except TableRuntimeException:
            continue
        patterns.append(pattern)
    columns = []
    for number, pattern in enumerate(patterns):
        literal = "'" + pattern.replace("'", "''") + "'"
        columns += [f"{name}(s, {literal}) AS {name}_{number}" for name in ("REGEXP", "REGEXP_COUNT", "REGEXP_SUBSTR")]
        columns.append(f"REGEXP_REPLACE(s, {literal}, '$1') AS REPLACE_{number}")
        columns.append(f"REGEXP_EXTRACT_ALL(s, {literal}, 0) AS ALL_{number}")
        if read_java_pattern(pattern) is not None:
            columns.append(f"STR_TO_MAP(s, {literal}, 'b') AS MAP_{number}")
    results = []
    for engine in ("arrow", "spark"):
        env = make_env(engine)
        env.create_temporary_view("t", env.from_arrow(pa.table({"s": texts})))
        results.append(env.execute_sql(f"SELECT {', '.join(columns)} FROM t").to_arrow().to_pydict())
    for name, values in results[0].items():
        number = int(name.rpartition("_")[2])
        assert values == results[1][name], (name, patterns[number], texts)
