"""Digests."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder


class HashMethods(NodeHolder):
    """Digests as hexadecimal text."""

    __slots__ = ()

    @property
    def md5(self) -> Self:
        """Returns the MD5 digest."""
        return self._call("MD5")

    @property
    def sha1(self) -> Self:
        """Returns the SHA-1 digest."""
        return self._call("SHA1")

    @property
    def sha224(self) -> Self:
        """Returns the SHA-224 digest."""
        return self._call("SHA224")

    @property
    def sha256(self) -> Self:
        """Returns the SHA-256 digest."""
        return self._call("SHA256")

    @property
    def sha384(self) -> Self:
        """Returns the SHA-384 digest."""
        return self._call("SHA384")

    @property
    def sha512(self) -> Self:
        """Returns the SHA-512 digest."""
        return self._call("SHA512")

    def sha2(self, hash_length: object) -> Self:
        """Returns the SHA-2 digest of 224, 256, 384 or 512 bits."""
        return self._call("SHA2", hash_length)
