"""Conversions, and functions of types."""

from __future__ import annotations

from table_common.functions.builtin.declarations import ANY_OR_NULL, BOOLEAN, nullable, operator, scalar
from table_common.inference.argument_types import constant
from table_common.inference.conversion import cast_arguments, cast_result
from table_common.inference.input_strategies import no_arguments, sig
from table_common.inference.type_strategies import explicit, force_nullable
from table_common.types.logical import VarCharType

CAST = operator("CAST", cast_arguments(), cast_result(), lambda a: f"CAST({a[0]} AS {a[1]})")
"""``CAST(value, type literal)``."""
TRY_CAST = operator("TRY_CAST", cast_arguments(), force_nullable(cast_result()), lambda a: f"TRY_CAST({a[0]} AS {a[1]})")
TYPEOF = scalar("TYPEOF", sig(ANY_OR_NULL, optional=[constant(BOOLEAN)]), nullable(VarCharType()))
CURRENT_DATABASE = scalar("CURRENT_DATABASE", no_arguments(), explicit(VarCharType(nullable=False)))
