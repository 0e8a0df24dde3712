from __future__ import annotations

from table_common.functions.builtin import FAMILIES, definitions_of, family_of, names


def test_the_names_by_which_families_are_imported_are_those_of_their_functions():
    assert {family.__name__.rpartition(".")[2] for family in FAMILIES} == {*names.CALLABLE, *names.OPERATORS}
    for family in FAMILIES:
        name, definitions = family.__name__.rpartition(".")[2], definitions_of(family)
        callable_names = [text for one in definitions if not one.is_operator for text in (one.name, *one.aliases)]
        assert sorted(names.CALLABLE.get(name, "").split()) == sorted(callable_names), f"names.CALLABLE[{name!r}]"
        assert sorted(names.OPERATORS.get(name, "").split()) == sorted(one.name for one in definitions if one.is_operator)
        assert {family_of(one) for one in definitions} == {name}
