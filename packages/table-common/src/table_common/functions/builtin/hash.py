"""Digests in hexadecimal text."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BINARY_FAMILY, STRING_FAMILY, returns, scalar
from table_common.inference.digests import digest_length
from table_common.inference.input_strategies import or_, sig
from table_common.types.logical import CharType, VarCharType

_INPUT = or_(sig(STRING_FAMILY), sig(BINARY_FAMILY))

MD5 = scalar("MD5", _INPUT, returns(CharType(32)))
SHA1 = scalar("SHA1", _INPUT, returns(CharType(40)))
SHA224 = scalar("SHA224", _INPUT, returns(CharType(56)))
SHA256 = scalar("SHA256", _INPUT, returns(CharType(64)))
SHA384 = scalar("SHA384", _INPUT, returns(CharType(96)))
SHA512 = scalar("SHA512", _INPUT, returns(CharType(128)))
SHA2 = scalar("SHA2", or_(sig(STRING_FAMILY, digest_length()), sig(BINARY_FAMILY, digest_length())), returns(VarCharType(128)))
