"""Type inference (FLIP-65): strategies for arguments and results, shared by built-in and user-defined functions."""

from table_common.inference.argument_types import (
    ArgumentTypeStrategy,
    any_type,
    constant,
    explicit_argument,
    family,
    matching,
    symbol,
    type_literal,
)
from table_common.inference.call_context import CallContext
from table_common.inference.comparable import comparable
from table_common.inference.input_strategies import common_type, no_arguments, or_, sig, varargs, wildcard
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeInference, TypeStrategy
from table_common.inference.type_strategies import (
    array_of,
    explicit,
    first_of,
    force_not_null,
    force_nullable,
    least_common,
    mapping,
    match_family,
    nullable_if,
    nullable_if_all_args,
    nullable_if_args,
    nullable_if_global,
    same_as,
    varying,
)

__all__ = [
    "ArgumentCount",
    "ArgumentTypeStrategy",
    "CallContext",
    "InputTypeStrategy",
    "TypeInference",
    "TypeStrategy",
    "any_type",
    "array_of",
    "common_type",
    "comparable",
    "constant",
    "explicit",
    "explicit_argument",
    "family",
    "first_of",
    "force_not_null",
    "force_nullable",
    "least_common",
    "mapping",
    "match_family",
    "matching",
    "no_arguments",
    "nullable_if",
    "nullable_if_all_args",
    "nullable_if_args",
    "nullable_if_global",
    "or_",
    "same_as",
    "sig",
    "symbol",
    "type_literal",
    "varargs",
    "varying",
    "wildcard",
]
