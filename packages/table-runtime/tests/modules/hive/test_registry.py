from __future__ import annotations

import pytest

from table_runtime.modules.hive.registry import OWN, VERSIONS, hive_built_ins

BUILT_INS = hive_built_ins()


def test_names_are_lower_case_and_without_operators() -> None:
    assert all(name == name.lower() and name.isidentifier() for name in BUILT_INS)


def test_a_function_is_in_its_versions_from_the_first_on() -> None:
    old, new = VERSIONS[0], VERSIONS[-1]
    assert BUILT_INS["upper"].is_in(old)
    assert BUILT_INS["upper"].is_in(new)
    assert any(built_in.is_in(new) and not built_in.is_in(old) for built_in in BUILT_INS.values())


@pytest.mark.parametrize("name", sorted(OWN))
def test_functions_of_clauses_are_replaced_by_built_in_ones(name: str) -> None:
    assert OWN[name]
