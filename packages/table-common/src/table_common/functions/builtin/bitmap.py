"""BITMAP: sets of 32-bit unsigned integers, and the aggregates that build and combine them."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BINARY_FAMILY, BITMAP, INT, aggregate, nullable, returns, scalar
from table_common.inference.argument_types import explicit_argument
from table_common.inference.input_strategies import sig
from table_common.types.logical import ArrayType, BigIntType, BitmapType, IntType, VarBinaryType, VarCharType

_SET = returns(BitmapType())
_SET_OR_NULL = nullable(BitmapType())
_COUNT_OR_NULL = nullable(BigIntType())

BITMAP_BUILD = scalar("BITMAP_BUILD", sig(explicit_argument(ArrayType(IntType()))), _SET)
BITMAP_FROM_BYTES = scalar("BITMAP_FROM_BYTES", sig(BINARY_FAMILY), _SET)
BITMAP_TO_BYTES = scalar("BITMAP_TO_BYTES", sig(BITMAP), returns(VarBinaryType()))
BITMAP_TO_ARRAY = scalar("BITMAP_TO_ARRAY", sig(BITMAP), returns(ArrayType(IntType())))
BITMAP_TO_STRING = scalar("BITMAP_TO_STRING", sig(BITMAP), returns(VarCharType()))
BITMAP_CARDINALITY = scalar("BITMAP_CARDINALITY", sig(BITMAP), returns(BigIntType()))
BITMAP_AND = scalar("BITMAP_AND", sig(BITMAP, BITMAP), _SET)
BITMAP_ANDNOT = scalar("BITMAP_ANDNOT", sig(BITMAP, BITMAP), _SET)
BITMAP_OR = scalar("BITMAP_OR", sig(BITMAP, BITMAP), _SET)
BITMAP_XOR = scalar("BITMAP_XOR", sig(BITMAP, BITMAP), _SET)

BITMAP_BUILD_AGG = aggregate("BITMAP_BUILD_AGG", sig(INT), _SET_OR_NULL)
BITMAP_AND_AGG = aggregate("BITMAP_AND_AGG", sig(BITMAP), _SET_OR_NULL)
BITMAP_OR_AGG = aggregate("BITMAP_OR_AGG", sig(BITMAP), _SET_OR_NULL)
BITMAP_XOR_AGG = aggregate("BITMAP_XOR_AGG", sig(BITMAP), _SET_OR_NULL)
BITMAP_BUILD_CARDINALITY_AGG = aggregate("BITMAP_BUILD_CARDINALITY_AGG", sig(INT), _COUNT_OR_NULL)
BITMAP_AND_CARDINALITY_AGG = aggregate("BITMAP_AND_CARDINALITY_AGG", sig(BITMAP), _COUNT_OR_NULL)
BITMAP_OR_CARDINALITY_AGG = aggregate("BITMAP_OR_CARDINALITY_AGG", sig(BITMAP), _COUNT_OR_NULL)
BITMAP_XOR_CARDINALITY_AGG = aggregate("BITMAP_XOR_CARDINALITY_AGG", sig(BITMAP), _COUNT_OR_NULL)
