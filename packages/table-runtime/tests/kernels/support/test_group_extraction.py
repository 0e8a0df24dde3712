"""Extraction from an array finds what extraction from each text finds."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.scalar.strings import regexp_extract
from table_runtime.kernels.support.group_extraction import extract_group
from table_runtime.kernels.support.java_matching import JavaMatcher


def _check(texts: Sequence[str], pattern: str, group: int) -> None:
    wanted = [regexp_extract(text, pattern, group) for text in texts]
    assert extract_group(pa.array(texts, pa.string()), pattern, group).to_pylist() == wanted, (pattern, group, texts)


@pytest.mark.parametrize(
    "pattern",
    [
        "(&|^)channel_id=([^&]*)",
        "(a)|(b)",
        "(a)?(b*)",
        "a(b*)(c)?",
        "(?:(a)|b)+",
        "(a*?)b$",
        "a.(c?)",
        r"\b(a)",
        r"(?<first>a)\(",
        "[(](a)[)]",
        r"(\w+)\s(\d+)",
        r"\Q(\E(a)",
        "(?i)(A)(b)",
        "(?m)^(b)$",
        "(a)\\1",
        "(?=(a))a",
        "",
        "(",
        "(a){1001}",
    ],
)
def test_each_group_of_a_pattern(pattern: str) -> None:
    texts = [
        "",
        "a",
        "ab",
        "ba",
        "b\na",
        "a\n",
        "ab\n",
        "a\rc",
        "éa",
        "a(",
        "(a)",
        "aa",
        "a 1",
        "x&channel_id=7&y",
        "channel_id=",
        "b\r\nb",
    ]
    for group in range(-1, 4):
        _check(texts, pattern, group)
        for text in texts:
            _check([text], pattern, group)


def test_a_group_without_a_part_in_the_match_is_null_and_an_empty_group_is_empty() -> None:
    texts = pa.array(["xa", "x", "y", "xb"])
    assert extract_group(texts, "x(a)?", 1).to_pylist() == ["a", None, None, None]
    assert extract_group(texts, "x(a*)", 1).to_pylist() == ["a", "", None, ""]


def test_usual_patterns_do_not_call_python_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JavaMatcher, "group", None)
    assert extract_group(pa.array(["x&channel_id=7", "x"]), "(&|^)channel_id=([^&]*)", 2).to_pylist() == ["7", None]


def test_a_group_that_only_java_can_determine_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="group 2"):
        extract_group(pa.array(["ab"]), "(a)(?!(c))b", 2)


def _random_pattern(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(10) if depth else 0
    if kind < 3:
        return chance.choice(
            ["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\b", "^", "$", r"\s", r"\(", "[(a]", r"[a\d]", "é", r"\W", r"\S"]
        )
    one, other = _random_pattern(chance, depth - 1), _random_pattern(chance, depth - 1)
    if kind < 5:
        return one + other
    if kind < 7:
        return f"({one})"
    return f"(?:{one}|{other})" if kind == 7 else f"(?:{one}){chance.choice(['*', '+', '?', '{1,2}', '*?', '+?', '?+'])}"


def test_random_patterns_over_random_texts() -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(600):
        pattern = _random_pattern(chance, 5)
        alphabet = chance.choice(["aabb1 _(", "aabb1 _(\n", "ab1 (é\n\r"])
        texts = ["".join(chance.choice(alphabet) for _ in range(chance.randrange(9))) for _ in range(8)]
        try:
            regexp_extract("", pattern, group := chance.randrange(3))
        except TableRuntimeException:  # a group that only Java can determine
            continue
        _check(texts, pattern, group)
