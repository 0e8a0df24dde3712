"""Patterns that take a matcher that goes back for ever: RE2 answers, or there is an error in time."""

from __future__ import annotations

import random
import re
import threading

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.patterns import pattern_cost
from table_runtime.kernels.scalar import strings as text
from table_runtime.kernels.support import regular_expressions
from table_runtime.kernels.support.java_matching import java_pattern
from table_runtime.kernels.support.json_path import finder
from table_runtime.kernels.support.patterns import matches_like, matches_similar

LONG = "a" * 5000 + "b"


def test_nested_repetition_is_searched_in_time() -> None:
    assert text.regexp(LONG, "(a+)+$") is False
    assert text.regexp(LONG, "(a|aa)+b$") is True


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*c", "a+a+a+a+a+$", "(a|b|ab)+$c"])
def test_all_functions_of_regular_expressions_end(pattern: str) -> None:
    short = LONG[-2000:] if pattern != "(a*)*c" else ""  # RE2 repeats empty parts by other rules
    text.regexp_count(short, pattern)
    text.regexp_extract(short, pattern)
    text.regexp_extract_all(short, pattern)
    text.regexp_instr(short, pattern)
    text.regexp_replace(short, pattern, "x")
    text.str_to_map(short, pattern)


def test_groups_of_re2_are_those_of_python() -> None:
    assert text.regexp_extract("x" * 10_000 + "2024-01-02", r"(\d+)-(\d+)-(\d+)", 2) == "01"
    assert text.regexp_replace("ä" * 10_000 + "12", r"(\d+)+", "-") == "ä" * 10_000 + "-"
    assert text.regexp_instr("ä" * 10_000 + "12", r"(\d+)+") == 10_001


def test_a_like_with_many_wildcards_ends() -> None:
    assert matches_like("a" * 3000, "%a%a%a%a%a%a%a%a%b") is False
    assert matches_like("a" * 3000, "%a%a%a%a%a%a%a%a") is True


def test_a_similar_to_with_nested_repetition_ends() -> None:
    assert matches_similar(LONG, "(a+)+c") is False


@pytest.mark.parametrize("pattern", [r"(a|aa)+\1$", "(?=(a|aa)+$)a", "(a|aa)+(?<!c)$"])
def test_what_re2_lacks_ends_with_an_error_that_names_the_pattern(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(regular_expressions, "SECONDS", 0.02)
    with pytest.raises(TableRuntimeException, match=re.escape(pattern)):
        text.regexp("a" * 60 + "b", pattern)


def test_the_limited_matcher_lets_other_threads_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expressions, "SECONDS", 0.3)
    worked = threading.Event()
    threading.Timer(0.01, worked.set).start()
    with pytest.raises(TableRuntimeException):
        text.regexp("a" * 60 + "b", r"(a|aa)+\1$")
    assert worked.is_set()


@pytest.mark.parametrize("pattern", [r"\d+", r"(\w+)@(\w+)\.com", "^abc", "[a-z]+", "(foo|bar)baz"])
def test_usual_patterns_over_usual_texts_are_left_to_python(pattern: str) -> None:
    compiled = java_pattern(pattern)
    assert compiled is not None
    assert compiled.longest_for_python >= 200


@pytest.mark.parametrize("pattern", [r"a$", "a|$"])
def test_the_end_before_a_line_end_is_found(pattern: str) -> None:
    found = text.regexp_instr("b" * 2_000_000 + "a\n", pattern)
    assert found == 2_000_001


def _random_pattern(rng: random.Random, depth: int) -> str:
    kind = rng.randrange(9) if depth else 0
    if kind < 3:
        return rng.choice(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "c", r"\s", r"[a\d]"])
    one, other = _random_pattern(rng, depth - 1), _random_pattern(rng, depth - 1)
    if kind < 5:
        return one + other
    return (
        f"({one})" if kind == 5 else f"(?:{one}|{other})" if kind == 6 else f"(?:{one}){rng.choice(['*', '+', '?', '{1,2}', '*?', '+?'])}"
    )


@pytest.mark.parametrize("seed", range(5))
def test_re2_finds_what_python_finds(seed: int) -> None:
    import re2

    rng = random.Random(seed)
    compared = 0
    while compared < 300:
        pattern = rng.choice(["", "", "^"]) + _random_pattern(rng, 4) + rng.choice(["", "", "$"])
        written = pattern_cost(pattern, re.ASCII).re2
        if written is None:
            continue
        compared += 1
        value = "".join(rng.choice("aabbc 1_é") for _ in range(rng.randrange(9)))
        wanted = [(found.span(), found.groups()) for found in re.finditer(pattern, value, re.ASCII)]
        assert [(found.span(), found.groups()) for found in re2.finditer(written, value)] == wanted, (pattern, value)


def test_a_path_visits_each_place_once_per_step() -> None:
    value: object = 1
    for _ in range(60):
        value = {"a": value}
    (found,) = finder("lax $..a..a..a..a..a")(value)
    assert len(found) == 56
