"""The paths that a text of a statement can mean, and whether all of them are below an allowed folder or URL.

Who opens a text decides what it means: some decode ``%2e``, some expand ``{a,b}`` or ``~``. A text is allowed only if each reading is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

_FILE = re.compile(r"(?i)file:")
_WILDCARD = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_READINGS = 256
_MOST_DECODINGS = 8
_DATABASES = ("postgresql", "postgres", "redshift", "cockroachdb")
_HARMLESS_PARAMETERS = frozenset(
    [
        "user",
        "password",
        "sslmode",
        "ssl",
        "connect_timeout",
        "connecttimeout",
        "application_name",
        "applicationname",
        "client_encoding",
        "fallback_application_name",
        "keepalives",
        "keepalives_idle",
        "keepalives_interval",
        "keepalives_count",
        "tcp_user_timeout",
        "tcpkeepalive",
        "target_session_attrs",
        "channel_binding",
        "gssencmode",
        "sslcompression",
        "sslnegotiation",
        "sockettimeout",
        "logintimeout",
        "options",
        "currentschema",
        "readonly",
        "preparethreshold",
        "defaultrowfetchsize",
        "rewritebatchedinserts",
        "stringtype",
        "binarytransfer",
    ]
)
"""Parameters of a database's URL that name neither a host, a database nor a file; all others can lead elsewhere."""


def is_url(text: str) -> bool:
    """Returns whether a text is a URL, except of a local file. A text such as ``cache::file:///x``, which is none, counts: fsspec opens it."""
    return "://" in text and _FILE.match(text) is None


def decoded_path(text: str) -> Path:
    """Returns the absolute path of a text: a path, whose ``~`` is expanded, or a ``file:`` URL, which is decoded.

    Raises:
        ValueError: the URL has another scheme, or names a host.
    """
    if "://" not in text and _FILE.match(text) is None:
        return Path(text).expanduser().absolute()
    parts = urlsplit(text)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise ValueError(text)
    return Path(unquote(parts.path)).absolute()


def is_allowed_text(text: str, allowed: tuple[str, ...]) -> bool:
    """Returns whether each reading of a text is below an allowed folder or URL."""
    if "\0" in text:
        return False
    if is_url(text):
        return any(_url_is_below(text, one) for one in allowed)
    readings = list(_readings(text))
    return bool(readings) and all(_is_below_one(reading, allowed) for reading in readings)


def is_allowed_path(path: str | os.PathLike[str], allowed: tuple[str, ...]) -> bool:
    """Returns whether a path, with its links resolved, is in an allowed folder. Nothing is decoded or expanded."""
    text = os.fspath(path)
    return "\0" not in text and _is_below_one(text, allowed)


def _readings(text: str) -> Iterator[str]:
    """Yields the local paths that the text can mean; none if there are too many, or a pattern cannot be followed."""
    found: dict[str, None] = {}
    for decoded in _decodings(text):
        for reading in _without_scheme(decoded):
            expanded = _expanded(reading)
            if expanded is None:
                return
            found.update(dict.fromkeys(expanded))
    if len(found) > _MOST_READINGS:
        return
    for reading in found:
        parts = re.split(r"[/\\]", reading)
        wild = next((number for number, part in enumerate(parts) if _WILDCARD.search(part)), None)
        if wild is not None and ".." in parts[wild:]:  # what a wildcard matches decides where it leads
            yield os.sep
        yield os.path.expanduser(reading)


def _decodings(text: str) -> Iterator[str]:
    for _ in range(_MOST_DECODINGS):
        yield text
        decoded = unquote(text)
        if decoded == text:
            return
        text = decoded
    yield os.sep  # encoded again and again


def _without_scheme(text: str) -> Iterator[str]:
    if _FILE.match(text) is None:
        yield text
        return
    rest = text[5:]
    if not rest.startswith("/"):
        yield rest
    elif rest.startswith("//"):
        host, _, path = rest[2:].partition("/")
        yield f"/{path}" if host.lower() in ("", "localhost") else os.sep
    else:
        yield rest
    if "?" in rest or "#" in rest:
        yield re.split(r"[?#]", rest, maxsplit=1)[0].removeprefix("//")


def _expanded(text: str) -> list[str] | None:
    """Returns the text itself and one for each combination of alternatives in braces; None if there are too many."""
    waiting, found = [text], [text]
    while waiting:
        pattern = waiting.pop()
        braces = _BRACES.search(pattern)
        if braces is None:
            found.append(pattern)
        else:
            waiting += [pattern[: braces.start()] + choice + pattern[braces.end() :] for choice in braces[1].split(",")]
        if len(found) + len(waiting) > _MOST_READINGS:
            return None
    return found


def _is_below_one(path: str, allowed: tuple[str, ...]) -> bool:
    if "\0" in path:
        return False
    real = os.path.realpath(path or ".")
    for one in allowed:
        if is_url(one):
            continue
        try:
            folder = os.path.realpath(decoded_path(one))
        except ValueError:
            continue
        if real == folder or real.startswith(folder.rstrip(os.sep) + os.sep):
            return True
    return False


def _url_is_below(url: str, allowed: str) -> bool:
    decodings = list(_decodings(url))
    if any("::" in one or any(character.isspace() or character == "\\" for character in one) for one in decodings):
        return False  # fsspec opens another URL after '::'
    if any(".." in re.split(r"[/?#]", one) for one in decodings) or decodings[-1] == os.sep:
        return False
    url, prefix = _plain(url), _plain(allowed.rstrip("/"))
    if url != prefix and not url.startswith((f"{prefix}/", f"{prefix}&") if "?" in prefix else (f"{prefix}/", f"{prefix}?")):
        return False
    scheme = url.partition(":")[0].lower()
    return scheme not in _DATABASES or _stays_at_its_server(url, prefix)


def _plain(url: str) -> str:
    """Returns a database's URL without JDBC's prefix, with one name for PostgreSQL."""
    url = url.removeprefix("jdbc:")
    return f"postgresql{url[8:]}" if url.startswith("postgres://") else url


def _stays_at_its_server(url: str, allowed: str) -> bool:
    """Returns whether the parameters of a database's URL, other than those that are allowed with it, lead to no other server or file."""
    if "?" in allowed:
        _, _, added = url.removeprefix(allowed).partition("&")
    else:
        _, _, added = url.partition("?")
    if "#" in url or ";" in added or "?" in added:
        return False
    names = [name for name, _ in parse_qsl(added, keep_blank_values=True)]
    if len(names) != len([part for part in added.split("&") if part]):
        return False
    return all(name.lower() in _HARMLESS_PARAMETERS for name in names)
