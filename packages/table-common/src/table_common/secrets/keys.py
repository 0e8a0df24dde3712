"""Decides which option keys are secret.

A key is split into words at ``.``, ``-``, ``_``, blanks and changes of case (``accessKey``), and the words decide. Words that always
mean a secret are in ``_SECRET_WORDS``. Words with other meanings, ``key`` first of all, are secret only where the words around them do
not say otherwise: ``account.key`` and ``aws-access-key-id``, but not ``key.fields``, ``primary-key`` or ``auth.type``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_SECRET_WORDS = frozenset(
    [
        "apikey",
        "authkey",
        "accesskey",
        "accountkey",
        "secretkey",
        "privatekey",
        "sharedkey",
        "servicekey",
        "authtoken",
        "bearer",
        "cookie",
        "connectionstring",
        "connstr",
        "cred",
        "credential",
        "dsn",
        "jaas",
        "jwt",
        "passcode",
        "passkey",
        "passphrase",
        "passwd",
        "password",
        "passwort",
        "pswd",
        "pwd",
        "secret",
        "token",
        "userinfo",
    ]
)
_SECRET_STEMS = re.compile(r"passwo?r?d|passphrase|secret|credential|apikey|accesskey|privatekey|connectionstring|token(?!i[sz])")
"""Parts of words that are written without any sign between: ``mypassword``, ``sslpassword``, ``authtoken``."""
_SECRET_PHRASES = frozenset(
    ("connection string", "conn str", "http header", "request header", "user info", "pass word", "pass phrase", "pass code", "pass wd")
)
_WEAK_WORDS = frozenset(
    ["access", "auth", "authentication", "authorisation", "authorization", "key", "oauth", "pass", "sas", "sig", "signature"]
)
"""Words that mean a secret unless adjacent words indicate another meaning."""
_DESCRIBING = frozenset(
    [
        "algorithm",
        "alias",
        "algo",
        "class",
        "classname",
        "count",
        "dir",
        "disabled",
        "enable",
        "enabled",
        "endpoint",
        "expiry",
        "file",
        "folder",
        "format",
        "host",
        "interval",
        "length",
        "level",
        "limit",
        "location",
        "max",
        "mechanism",
        "method",
        "min",
        "mode",
        "ms",
        "policy",
        "port",
        "protocol",
        "provider",
        "realm",
        "region",
        "required",
        "retries",
        "scheme",
        "size",
        "style",
        "timeout",
        "ttl",
        "type",
        "uri",
        "url",
        "version",
    ]
)
"""Words after a weak word that indicate that it is not the secret itself: ``auth.type``."""
_NOT_SECRET_AFTER = frozenset(
    ["class", "classname", "enabled", "endpoint", "expiration", "expiry", "provider", "required", "timeout", "ttl", "type"]
)
"""Words after any secret word with the same meaning: ``fs.s3a.aws.credentials.provider``."""
_SECRET_BEFORE_KEY = frozenset(
    [
        "access",
        "account",
        "admin",
        "aes",
        "api",
        "app",
        "application",
        "auth",
        "azure",
        "client",
        "consumer",
        "customer",
        "encryption",
        "hmac",
        "ingest",
        "license",
        "master",
        "private",
        "project",
        "publishable",
        "rsa",
        "secret",
        "service",
        "session",
        "shared",
        "sign",
        "signing",
        "ssh",
        "ssl",
        "storage",
        "subscription",
        "symmetric",
        "tls",
    ]
)
"""Words before ``key`` or ``keys`` that make it a secret at any position: ``fs.azure.account.key.<account>``."""
_HARMLESS_BEFORE_KEY = frozenset(
    [
        "bucket",
        "by",
        "candidate",
        "cluster",
        "composite",
        "conflict",
        "dedup",
        "deduplication",
        "distribution",
        "distributed",
        "doc",
        "document",
        "foreign",
        "group",
        "hash",
        "index",
        "join",
        "json",
        "lookup",
        "map",
        "merge",
        "message",
        "natural",
        "nested",
        "not",
        "null",
        "object",
        "on",
        "order",
        "ordering",
        "partition",
        "primary",
        "public",
        "range",
        "record",
        "routing",
        "row",
        "scan",
        "sequence",
        "shard",
        "sort",
        "sorting",
        "surrogate",
        "unique",
        "update",
        "upsert",
        "value",
    ]
)
"""Words before a final ``key`` that make it a data key: ``primary-key``."""
_BEHIND_ACCESS = frozenset(["code", "grant", "id", "key", "password", "secret", "token"])
_NOT_SECRET_BEFORE_ACCESS = frozenset(
    ["anonymous", "concurrent", "data", "direct", "file", "parallel", "public", "random", "remote", "style"]
)
_COUNTED = frozenset(
    ["completion", "context", "input", "max", "maximum", "min", "minimum", "num", "number", "output", "prompt", "stop", "total"]
)
"""Words before ``tokens`` that mean those of a language model: ``max-tokens``."""


@lru_cache(maxsize=2048)
def is_secret_key(key: str) -> bool:
    """Returns whether the values of options with this key must be masked in all output."""
    words = words_of(key)
    return any(_is_secret(words, place) for place in range(len(words)))


def is_secret_name(name: str) -> bool:
    """Returns whether a column or parameter of this name contains secrets.

    The rule is narrower than for options: a column that is only named ``key`` or ``signature`` is ordinary data.
    """
    return is_secret_key(name) and not (len(words_of(name)) == 1 and words_of(name)[0] in _WEAK_WORDS)


def words_of(key: str) -> tuple[str, ...]:
    """Returns the words of a key in lower case: ``aws.accessKey_id`` has ``aws``, ``access``, ``key`` and ``id``."""
    if not key.isascii():  # full-width letters and zero-width characters, which occur in text copied from web pages
        key = "".join(character for character in unicodedata.normalize("NFKC", key) if unicodedata.category(character) not in ("Cf", "Mn"))
    return tuple(word.lower() for word in _WORD.findall(key))


def _is_secret(words: tuple[str, ...], place: int) -> bool:
    word = words[place]
    single = word if word in ("sas", "pass", "access") else word.removesuffix("s")
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if f"{word} {after}".removesuffix("s") in _SECRET_PHRASES:
        return True
    if single == "key":
        return _is_secret_of_keys(word, before, after, has_more=place + 1 < len(words))
    if single in _WEAK_WORDS:
        return _is_secret_of_weak_words(single, before, words[place + 1 :])
    if word in _SECRET_WORDS or single in _SECRET_WORDS or _SECRET_STEMS.search(word):
        return words[-1] not in _NOT_SECRET_AFTER and not (word == "tokens" and before in _COUNTED)
    # sslkey, storagekeys
    return len(word) > 3 and single.endswith("key") and single[:-3] in _SECRET_BEFORE_KEY and after not in _DESCRIBING


def _is_secret_of_keys(word: str, before: str, after: str, *, has_more: bool) -> bool:
    if before in _SECRET_BEFORE_KEY:
        return after not in _DESCRIBING
    return word == "key" and not has_more and before not in _HARMLESS_BEFORE_KEY


def _is_secret_of_weak_words(word: str, before: str, behind: tuple[str, ...]) -> bool:
    if behind and behind[-1] in _DESCRIBING:
        return False
    if word == "access":
        return before not in _NOT_SECRET_BEFORE_ACCESS and (not behind or behind[0] in _BEHIND_ACCESS)
    return word != "pass" or not behind
