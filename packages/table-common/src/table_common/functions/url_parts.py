"""The parts of a URL, by one regular expression that Java and Python read alike."""

from __future__ import annotations

__all__ = ["AROUND_URL", "URL", "UrlGroup"]

_SCHEMES = "https?|ftp|file|jrt|mailto(?=:.)|jar(?=:(?:url:)?(?:https?|ftp|file|jar|jrt|mailto):.*!/)"
_SEVERAL_SIGNS = "[^@/?#]*@[^@/?#]*@[^/?#]*"  # neither a host nor a user
_USER = "([^@/?#]*@)?"
_HOST = r"(\[[0-9A-F]*:[0-9A-F]*:[0-9A-F:.]*\]|(?!\[)[^:@/?#]*)"
_PORT = r"(?::(?:[+]?[0-9]{1,9}|-1)?)?"
_AUTHORITY = f"(//(?!//)(?:{_SEVERAL_SIGNS}|{_USER}{_HOST}{_PORT}))(?=[/?#]|$)"

AROUND_URL = "^[\\x00-\\x20]+|[\\x00-\\x20]+$"
"""What is cut off before a URL is read."""
URL = rf"(?is)^(?:url:)?({_SCHEMES}):(?:{_AUTHORITY}|(?!//(?!//)))([^?#]*)(\?[^#]*)?(#.*)?$"
"""A URL as ``java.net.URL`` reads it, whose protocols these are; the groups are those of ``UrlGroup``."""


class UrlGroup:
    """The groups of ``URL``. Beside the text of the part they have the separator before it, or the ``@`` behind it, so that a part that
    is not there differs from an empty one."""

    PROTOCOL = 1
    AUTHORITY = 2
    USER = 3
    HOST = 4
    PATH = 5
    QUERY = 6
    REF = 7
