"""The parts of a URL, by one regular expression that Java and Python read alike."""

from __future__ import annotations

_SCHEMES = "https?|ftp|file|jrt|mailto(?=:.)|jar(?=:(?:url:)?(?:https?|ftp|file|jar|jrt|mailto):.*!/)"
_SEVERAL_SIGNS = "[^@/?#]*@[^@/?#]*@[^/?#]*"  # neither a host nor a user
_USER = "([^@/?#]*@)?"
_HOST = r"(\[[0-9A-F]*:[0-9A-F]*:[0-9A-F:.]*\]|(?!\[)[^:@/?#]*)"
_PORT = r"(?::(?:[+]?[0-9]{1,9}|-1)?)?"
_AUTHORITY = f"(//(?!//)(?:{_SEVERAL_SIGNS}|{_USER}{_HOST}{_PORT}))(?=[/?#]|$)"


class UrlParts:
    """The expression that reads a URL as ``java.net.URL`` does, whose protocols these are, and the numbers of its groups.

    Beside the text of their part, the groups have the separator before it, or the ``@`` after it, so that a part that is not there differs
    from an empty one.

    Example:
        >>> import re
        >>> url = re.match(UrlParts.PATTERN, "http://ann@example.org/a?b=1")
        >>> url[UrlParts.HOST], url[UrlParts.QUERY], url[UrlParts.REF]
        ('example.org', '?b=1', None)
    """

    PATTERN = rf"(?is)^(?:url:)?({_SCHEMES}):(?:{_AUTHORITY}|(?!//(?!//)))([^?#]*)(\?[^#]*)?(#.*)?$"
    AROUND = "^[\\x00-\\x20]+|[\\x00-\\x20]+$"
    """What is cut off before a URL is read."""

    PROTOCOL = 1
    AUTHORITY = 2
    USER = 3
    HOST = 4
    PATH = 5
    QUERY = 6
    REF = 7
