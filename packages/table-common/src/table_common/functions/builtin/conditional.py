"""Functions that choose one of their arguments."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BOOLEAN, operator, scalar
from table_common.inference.comparable import comparable, ordered
from table_common.inference.conditional import case_branches, case_result
from table_common.inference.input_strategies import common_type
from table_common.inference.type_strategies import force_nullable, least_common, nullable_if_all_args, nullable_if_args, same_as


def _case_text(args: list[str]) -> str:
    branches = " ".join(f"WHEN {condition} THEN {value}" for condition, value in zip(args[:-1:2], args[1:-1:2], strict=True))
    return f"(CASE {branches} ELSE {args[-1]} END)"


CASE = operator("CASE", case_branches(), case_result(), _case_text)
"""``CASE(condition, value, …, else)``: without ELSE the last argument is NULL."""
IF = scalar("IF", common_type(BOOLEAN, at_least=2, at_most=2), nullable_if_args(least_common(1)))
COALESCE = scalar("COALESCE", common_type(), nullable_if_all_args(least_common()))
IFNULL = scalar("IFNULL", common_type(at_least=2, at_most=2), nullable_if_all_args(least_common()), names=("input", "null_replacement"))
NULLIF = scalar("NULLIF", comparable(2), force_nullable(same_as(0)))
GREATEST = scalar("GREATEST", ordered(common_type()), nullable_if_args(least_common()))
LEAST = scalar("LEAST", ordered(common_type()), nullable_if_args(least_common()))
