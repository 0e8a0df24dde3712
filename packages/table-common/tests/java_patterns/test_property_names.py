from __future__ import annotations

import itertools

from table_common.java_patterns.property_names import BLOCKS, SCRIPTS


def test_a_script_is_listed_by_code_and_by_name() -> None:
    assert SCRIPTS["LATN"] == SCRIPTS["LATIN"] == "LATIN"


def test_names_are_capitals_without_signs() -> None:
    assert all(name == name.upper() and not set(name) & set(" -_") for name in BLOCKS)


def test_blocks_do_not_overlap() -> None:
    pairs = sorted(set(BLOCKS.values()))
    assert all(last < following for (_, last), (following, _) in itertools.pairwise(pairs))


def test_blocks_begin_at_a_multiple_of_sixteen() -> None:
    assert all(first % 16 == 0 and first <= last for first, last in BLOCKS.values())


def test_the_blocks_of_unicode_13_are_known_and_later_ones_are_not() -> None:
    assert "SYMBOLSFORLEGACYCOMPUTING" in BLOCKS
    assert "KAWI" not in BLOCKS
