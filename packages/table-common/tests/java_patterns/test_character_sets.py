from __future__ import annotations

import re

import pytest

from table_common.java_patterns.character_sets import (
    ANY,
    LAST,
    Complement,
    Intersection,
    Property,
    Ranges,
    Union,
    WrittenSet,
    case_variants,
    class_text,
    ranges_of,
)

DIGITS, A_TO_C = Ranges(((48, 57),)), Ranges(((97, 99),))


def no_properties(text: str) -> tuple[tuple[int, int], ...]:
    raise AssertionError(text)


def test_adjacent_and_overlapping_ranges_are_merged_in_order() -> None:
    assert ranges_of(Ranges(((98, 100), (97, 98), (101, 101))), no_properties) == ((97, 101),)


def test_a_union_has_the_characters_of_both_sides() -> None:
    assert ranges_of(Union(A_TO_C, DIGITS), no_properties) == ((48, 57), (97, 99))


def test_an_intersection_has_the_common_characters() -> None:
    assert ranges_of(Intersection(Ranges(((97, 110),)), Ranges(((105, 122),))), no_properties) == ((105, 110),)
    assert ranges_of(Intersection(A_TO_C, DIGITS), no_properties) == ()


def test_a_complement_has_all_other_characters() -> None:
    assert ranges_of(Complement(A_TO_C), no_properties) == ((0, 96), (100, LAST))
    assert ranges_of(Complement(ANY), no_properties) == ()


def test_a_written_set_grows_while_it_is_read() -> None:
    written = WrittenSet([(97, 97)])
    both = Union(written, DIGITS)
    written.pairs.append((98, 98))
    assert ranges_of(both, no_properties) == ((48, 57), (97, 98))


def test_the_ranges_of_a_property_are_looked_up_when_they_are_needed() -> None:
    assert ranges_of(Union(Property(r"\p{L}"), DIGITS), lambda text: ((65, 90),) if text == r"\p{L}" else ()) == ((48, 57), (65, 90))


def test_a_union_of_thousands_of_sets_needs_no_recursion() -> None:
    union: Union | Ranges = A_TO_C
    for _ in range(5_000):
        union = Union(union, A_TO_C)
    assert ranges_of(union, no_properties) == ((97, 99),)


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        (((48, 57),), r"\d"),
        (((97, 97),), "a"),
        (((45, 45),), r"\x2d"),
        (((97, 99), (120, 120)), "[a-cx]"),
        (((0, 96), (98, LAST)), "[^a]"),
        (((0x1F600, 0x1F600),), r"\U0001f600"),
    ],
)
def test_a_class_is_written_as_python_reads_it(pairs: tuple[tuple[int, int], ...], text: str) -> None:
    assert class_text(pairs) == text
    assert re.fullmatch(text, chr(pairs[0][0] or 98), re.ASCII)


def test_an_empty_class_matches_nothing() -> None:
    assert not re.search(class_text(()), "abc\n")


def test_digits_are_written_out_where_the_flag_ascii_is_not_set() -> None:
    assert class_text(((48, 57),), ascii_only=False) == "[0-9]"


def test_case_variants_without_unicode_are_ascii_letters() -> None:
    assert (65, 65) in case_variants(97, 97, unicode_case=False)
    assert all(last < 128 for _, last in case_variants(107, 107, unicode_case=False))


def test_case_variants_with_unicode_contain_the_kelvin_sign() -> None:
    assert any(first <= 0x212A <= last for first, last in case_variants(107, 107, unicode_case=True))
