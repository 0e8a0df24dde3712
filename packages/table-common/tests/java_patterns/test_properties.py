from __future__ import annotations

import pytest

from table_common.java_patterns.character_sets import CharacterSet, Property, Ranges, ranges_of
from table_common.java_patterns.properties import find_property


def find(name: str, ignores_case: bool = False, unicode_classes: bool = False) -> CharacterSet | None:
    return find_property(name, ignores_case, unicode_classes)


@pytest.mark.parametrize("name", ["L", "gc=L", "general_category=L"])
def test_a_general_category_is_known_with_and_without_its_key(name: str) -> None:
    assert find(name) == Property(r"\p{gc=L}")


@pytest.mark.parametrize("name", ["IsLatin", "IsLatn", "sc=latn", "script=LATIN"])
def test_a_script_is_known_by_name_and_code_in_any_case(name: str) -> None:
    assert find(name) == Property(r"\p{Script=LATIN}")


@pytest.mark.parametrize("name", ["InGreek", "InGREEK AND COPTIC", "blk=greek_and_coptic"])
def test_a_block_is_known_without_spaces_and_by_its_alias(name: str) -> None:
    assert find(name) == Ranges(((0x370, 0x3FF),))


def test_a_posix_class_is_ascii_unless_unicode_classes_are_on() -> None:
    ascii_letters = find("Alpha")
    assert ascii_letters is not None
    assert ranges_of(ascii_letters, lambda text: ()) == ((65, 90), (97, 122))
    assert find("Alpha", unicode_classes=True) != ascii_letters


def test_upper_and_lower_case_are_one_where_case_is_ignored() -> None:
    assert find("Lower", ignores_case=True) == find("Upper", ignores_case=True)
    assert find("Lower") != find("Upper")


@pytest.mark.parametrize("name", ["Foo", "isL", "InNowhere", "sc=Foo", "age=5", "javaFoo", ""])
def test_a_name_that_java_does_not_know_is_none(name: str) -> None:
    assert find(name) is None
