"""Digests in hexadecimal text, and Java's hash codes."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BINARY_FAMILY, NUMERIC_FAMILY, STRING_FAMILY, returns, scalar
from table_common.inference.argument_types import explicit_argument, family
from table_common.inference.digests import digest_length
from table_common.inference.input_strategies import or_, sig
from table_common.types.logical import BooleanType, CharType, DateType, IntType, TimestampType, TimeType, VarCharType

_INPUT = or_(sig(STRING_FAMILY), sig(BINARY_FAMILY))

MD5 = scalar("MD5", _INPUT, returns(CharType(32)))
SHA1 = scalar("SHA1", _INPUT, returns(CharType(40)))
SHA224 = scalar("SHA224", _INPUT, returns(CharType(56)))
SHA256 = scalar("SHA256", _INPUT, returns(CharType(64)))
SHA384 = scalar("SHA384", _INPUT, returns(CharType(96)))
SHA512 = scalar("SHA512", _INPUT, returns(CharType(128)))
SHA2 = scalar("SHA2", or_(sig(STRING_FAMILY, digest_length()), sig(BINARY_FAMILY, digest_length())), returns(VarCharType(128)))

_DATETIME = family("DATETIME", DateType, TimeType, TimestampType)
HASH_CODE = scalar(
    "HASH_CODE", or_(sig(NUMERIC_FAMILY), sig(STRING_FAMILY), sig(_DATETIME), sig(explicit_argument(BooleanType()))), returns(IntType())
)
