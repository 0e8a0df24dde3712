"""The restricted mode: the modules that statements of untrusted users may import, and the paths that they may read and write.

A session whose program sets ``table.security.allowed-modules`` or ``table.security.allowed-paths`` puts these restrictions in force while it
parses, plans and runs statements; code that imports a module or opens a path that a statement names checks it here first. Otherwise
nothing is restricted. The mode limits names and paths in statements; it is not a sandbox for code (``docs/guide/security.md``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar, Token
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.configuration import ReadableConfig

__all__ = ["ALLOWED_MODULES_KEY", "ALLOWED_PATHS_KEY", "Restrictions", "current_restrictions", "restrictions_in_force"]

ALLOWED_MODULES_KEY = "table.security.allowed-modules"
ALLOWED_PATHS_KEY = "table.security.allowed-paths"
_OURS = ("table_common", "table_api", "table_runtime", "connector_sqlite")
"""Packages whose connectors, formats and catalogs import and open only what is checked here."""
_PATH_WORDS = frozenset(
    ["dir", "directory", "file", "files", "filename", "folder", "location", "path", "paths", "uri", "url", "urls", "warehouse"]
)
_URL = re.compile(r"(?:[\w+.-]+:)*[\w+.-]+://")
_FIXED = ("table.security.", "python.", "spark.", "table.spark.", "table.catalog-store.")
"""Options that statements of a restricted session cannot set: they change what is imported, started or restricted."""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The allowed modules and paths; None means no restriction."""

    modules: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None

    def check_module(self, name: str, where: str) -> None:
        """Refuses to import a module.

        Raises:
            ValidationException: neither it nor a package that it is in is allowed.
        """
        if self.modules is not None and not any(name == allowed or name.startswith(f"{allowed}.") for allowed in self.modules):
            raise ValidationException(
                f"{where}: the module '{name}' must not be imported by statements of this session.",
                hint=f"The program that made the session allows modules by '{ALLOWED_MODULES_KEY}'.",
            )

    def check_entry_point(self, group: str, value: str, where: str) -> None:
        """Refuses to load an installed factory; connectors, formats and catalogs of this project are allowed, modules only ``core``.

        Raises:
            ValidationException: its module is not allowed.
        """
        module = value.partition(":")[0].strip()
        is_ours = module.partition(".")[0] in _OURS and (group != "table.modules" or value.endswith(":CoreModuleFactory"))
        if not is_ours and group != "table.planners":
            self.check_module(module, where)

    def check_object(self, found: object, path: str, where: str) -> None:
        """Refuses an object that was reached through a module but comes from another one that is not allowed.

        Raises:
            ValidationException: it is such a module, function or class, or its name is a private one.
        """
        if self.modules is None:
            return
        if any(part.startswith("_") for part in path.split(".")):
            raise ValidationException(f"{where}: '{path}' is a private name, which statements of this session must not use.")
        if isinstance(found, ModuleType):
            self.check_module(found.__name__, where)
        elif callable(found):
            self.check_module(getattr(found, "__module__", None) or type(found).__module__, where)

    def check_path(self, path: str, where: str) -> None:
        """Refuses a path of a local file, or a URL.

        Raises:
            ValidationException: it is in none of the allowed folders, symbolic links and ``..`` resolved, and below none of the allowed URLs.
        """
        if self.paths is None or any(_is_below(path, allowed) for allowed in self.paths):
            return
        raise ValidationException(
            f"{where}: the path '{path}' must not be used by statements of this session.",
            hint=f"The program that made the session allows folders and URLs by '{ALLOWED_PATHS_KEY}'.",
        )

    def check_options(self, options: Mapping[str, str], where: str) -> None:
        """Refuses options that name a path, by their key or by what their value looks like.

        Raises:
            ValidationException: a path is not allowed.
        """
        if self.paths is None:
            return
        for key, value in options.items():
            if _is_path(key, value):
                self.check_path(value, f"The option '{key}' of {where}")

    def check_setting(self, key: str | None) -> None:
        """Refuses to set or reset an option by a statement.

        Raises:
            ValidationException: the option determines what is imported, started or restricted.
        """
        if key is not None and key.startswith(_FIXED):
            raise ValidationException(
                f"The option '{key}' cannot be changed by statements.",
                hint="The program that made the session sets it.",
            )


_IN_FORCE: ContextVar[Restrictions] = ContextVar("restrictions", default=Restrictions())  # noqa: B039  # it is immutable


def current_restrictions() -> Restrictions:
    """Returns the restrictions in force in this thread; by default there are none."""
    return _IN_FORCE.get()


def restrictions_in_force(configuration: ReadableConfig) -> AbstractContextManager[None]:
    """Returns a context in which the restrictions of a session are in force."""
    modules, paths = configuration.get(ALLOWED_MODULES_KEY), configuration.get(ALLOWED_PATHS_KEY)
    if modules is None and paths is None:
        return nullcontext()
    return _InForce(Restrictions(_parts(modules), _parts(paths)))


class _InForce:
    def __init__(self, restrictions: Restrictions) -> None:
        self._restrictions = restrictions
        self._tokens: list[Token[Restrictions]] = []

    def __enter__(self) -> None:
        self._tokens.append(_IN_FORCE.set(self._restrictions))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _IN_FORCE.reset(self._tokens.pop())


def _parts(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(part.strip() for part in text.split(";") if part.strip())


def _is_path(key: str, value: str) -> bool:
    from table_common.secrets.keys import words_of

    words = words_of(key)
    if words and words[-1] in _PATH_WORDS:
        return bool(value.strip())
    return _URL.match(value) is not None or (len(value) > 2 and value.startswith(("/", "~", "../", "./", "file:", "\\\\")))


def _is_below(path: str, allowed: str) -> bool:
    path, allowed = _without_file_scheme(path), _without_file_scheme(allowed)
    if _URL.match(path) is not None or _URL.match(allowed) is not None:
        return _url_is_below(path, allowed)
    if "\0" in path:
        return False
    folder = os.path.realpath(os.path.expanduser(allowed))
    # The matches of a pattern are below the path before its first wildcard.
    named = os.path.realpath(os.path.expanduser(re.split(r"[*?\[{]", path, maxsplit=1)[0] or "."))
    return named == folder or named.startswith(folder.rstrip(os.sep) + os.sep)


def _url_is_below(url: str, allowed: str) -> bool:
    lowered = re.sub("%2e", ".", url, flags=re.IGNORECASE)
    if ".." in re.split(r"[/\\?#]|%2[fF]|%5[cC]", lowered) or any(character.isspace() or character == "\\" for character in url):
        return False
    prefix = allowed.rstrip("/")
    return url == prefix or url.startswith((f"{prefix}/", f"{prefix}?"))


def _without_file_scheme(path: str) -> str:
    if not path.lower().startswith("file:"):
        return path
    return "/" + path[5:].lstrip("/") if path[5:].startswith("/") else path[5:]
