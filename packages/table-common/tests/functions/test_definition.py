from __future__ import annotations

import pickle

from table_common.functions.builtin import lookup_built_in, math, strings
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionKind


def test_a_definition_is_equal_only_to_itself() -> None:
    assert BuiltInFunctionDefinition("F") != BuiltInFunctionDefinition("F")
    assert len({strings.UPPER, strings.UPPER, math.ABS}) == 2


def test_unpickling_returns_the_built_in_definition() -> None:
    assert pickle.loads(pickle.dumps(strings.UPPER)) is strings.UPPER


def test_a_call_is_rendered_by_name_unless_the_definition_has_a_renderer() -> None:
    assert BuiltInFunctionDefinition("F").render_sql(["a", "b"]) == "F(a, b)"
    assert BuiltInFunctionDefinition("F", renderer=lambda args: "|".join(args)).render_sql(["a", "b"]) == "a|b"


def test_a_definition_is_deterministic_by_default() -> None:
    assert BuiltInFunctionDefinition("F").is_deterministic
    assert not BuiltInFunctionDefinition("F", deterministic=False).is_deterministic


def test_a_definition_is_scalar_by_default() -> None:
    assert BuiltInFunctionDefinition("F").kind is FunctionKind.SCALAR


def test_an_alias_leads_to_the_same_definition() -> None:
    aliased = next(
        definition for definition in vars(strings).values() if isinstance(definition, BuiltInFunctionDefinition) and definition.aliases
    )
    assert lookup_built_in(aliased.aliases[0]) is aliased
