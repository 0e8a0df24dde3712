from __future__ import annotations

import re

import pytest

from table_common.java_patterns import is_costly_java_pattern
from table_common.patterns import pattern_cost


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+", "(a?){30}", "a?" * 20, ".*a.*b.*c.*d.*", r"((\w+)\s?)*;"])
def test_patterns_that_may_take_for_ever_are_costly(pattern: str) -> None:
    assert is_costly_java_pattern(pattern)


@pytest.mark.parametrize("pattern", [r"\d+", r"(\w+)@(\w+)\.com", ".*special.*requests.*", "(?:ab|cd)x", r"(\d{3},)*x", "[", 5, None])
def test_usual_patterns_and_what_is_none_are_not(pattern: object) -> None:
    assert not is_costly_java_pattern(pattern)


def test_the_power_counts_repetitions_and_the_place_of_the_match() -> None:
    assert pattern_cost("^a").power == 0
    assert pattern_cost("a").power == 1
    assert pattern_cost("a+b*").power == 3


@pytest.mark.parametrize("pattern", [r"(a)\1", "a(?=b)", "a++", "(?>a)", "(?i)a", "a*", "(a*)*b", "a{2000}", r"\bx"])
def test_what_re2_lacks_or_does_otherwise_has_no_pattern_for_it(pattern: str) -> None:
    assert pattern_cost(pattern).re2 is None


def test_a_line_end_at_the_end_of_a_pattern_is_detected() -> None:
    assert pattern_cost("a$", re.ASCII).has_end
    assert not pattern_cost(r"a\Z", re.ASCII).has_end
