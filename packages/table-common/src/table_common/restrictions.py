"""The restricted mode: the modules that statements of untrusted users may import, and the paths that they may read and write.

A session whose program sets ``table.security.allowed-modules`` or ``table.security.allowed-paths`` puts these restrictions in force while it
parses, plans and runs statements; code that imports a module or opens a path that a statement names checks it here first. Otherwise
nothing is restricted. The mode limits names and paths in statements; it is not a sandbox for code (``docs/guide/security.md``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from types import ModuleType, TracebackType
from typing import ParamSpec, TypeVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

__all__ = [
    "ALLOWED_MODULES_KEY",
    "ALLOWED_PATHS_KEY",
    "Restrictions",
    "current_restrictions",
    "in_force",
    "keeping_restrictions",
    "restrictions_of",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
ALLOWED_MODULES_KEY = "table.security.allowed-modules"
ALLOWED_PATHS_KEY = "table.security.allowed-paths"
_OURS = ("table_common", "table_api", "table_runtime", "connector_sqlite")
"""Packages whose connectors, formats and catalogs import and open only what is checked here."""
_REACHING_EVERYTHING = ("table_api_bridge", "table_planner_spark", "table_runtime")
"""Packages of this project whose catalogs, connectors and modules, other than ``core``, reach all that the engine can reach."""
_PATH_WORDS = frozenset(
    [
        "archive",
        "archives",
        "dir",
        "directory",
        "dirs",
        "directories",
        "executable",
        "file",
        "filename",
        "files",
        "folder",
        "folders",
        "keytab",
        "location",
        "locations",
        "path",
        "paths",
        "plugin",
        "plugins",
        "root",
        "uri",
        "uris",
        "url",
        "urls",
        "warehouse",
    ]
)
_LISTS = frozenset(["archives", "dirs", "directories", "files", "folders", "locations", "paths", "plugins", "uris", "urls"])
"""Words of keys whose values are lists."""
_HOSTS = frozenset(["servers", "brokers", "broker", "host", "hosts", "hostname", "hostnames", "addresses", "endpoint", "endpoints"])
"""Words of keys whose values are addresses, which are allowed as ``tcp://host:port``."""
_HOST_SCHEME = "tcp"
_LIKE_A_PATH = re.compile(r"(?i)/|~|\.\.?[/\\]|file:|\\\\|[a-z]:[/\\]|[\w+.:-]+://")
_SEPARATOR = re.compile(r"[/\\]|%2[fF]|%5[cC]")
_URL = re.compile(r"(?:[\w+.-]+:)*[\w+.-]+://")
_FIXED = ("table.security.", "python.", "spark.", "table.spark.", "table.catalog-store.", "workflow-scheduler.")
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
        package = module.partition(".")[0]
        is_ours = package in _OURS and (group != "table.modules" or value.endswith(":CoreModuleFactory"))
        if is_ours or group == "table.planners":
            return
        if self.modules is None and self.paths is not None and package in _REACHING_EVERYTHING:
            raise ValidationException(
                f"{where} must not be used by statements of this session: it can read and write whatever Spark can.",
                hint=f"The program that made the session allows modules by '{ALLOWED_MODULES_KEY}'.",
            )
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

    def check_member(self, holder: object, name: str, found: object, where: str) -> None:
        """Refuses ``holder.name``, which is ``found``, unless ``holder`` itself defines it: not if a module only imported it or a class inherited it.

        Raises:
            ValidationException: it comes from a module that is not allowed.
        """
        if self.modules is None:
            return
        from table_common.members import home_of  # few programs restrict their statements

        self.check_object(found, name, where)
        if isinstance(found, ModuleType):
            return
        home = home_of(holder, name)
        if home is None:
            raise ValidationException(
                f"{where}: '{name}' is not a name that {_named(holder)} defines, so statements of this session must not use it.",
                hint="Define it there; a name that is only imported or inherited belongs to another module.",
            )
        self.check_module(home, where)

    def check_path(self, path: str, where: str) -> None:
        """Refuses a path of a local file, or a URL.

        Raises:
            ValidationException: it is in none of the allowed folders, symbolic links and ``..`` resolved, and below none of the allowed URLs.
        """
        if self.paths is None:
            return
        from table_common.path_readings import is_allowed_text  # few programs restrict their statements

        if not is_allowed_text(path, self.paths):
            raise self._not_allowed(path, where)

    def check_found(self, path: str | os.PathLike[str], where: str) -> None:
        """Refuses a file or folder that was found: a match of a pattern, a link, or what is in a folder. Nothing in its name is decoded.

        Raises:
            ValidationException: it is in none of the allowed folders, symbolic links and ``..`` resolved.
        """
        if self.paths is None:
            return
        from table_common.path_readings import is_allowed_path  # few programs restrict their statements

        if not is_allowed_path(path, self.paths):
            raise self._not_allowed(os.fspath(path), where)

    def _not_allowed(self, path: str, where: str) -> ValidationException:
        return ValidationException(
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
            for path in _paths_in(key, value):
                self.check_path(path, f"The option '{key}' of {where}")

    def check_setting(self, key: str | None, value: str | None = None) -> None:
        """Refuses to set or reset an option by a statement.

        Raises:
            ValidationException: the option determines what is imported, started or restricted, or its value is a path that is not allowed.
        """
        if key is not None and value is not None and self.paths is not None:
            for path in _paths_in(key, value):
                self.check_path(path, f"The option '{key}'")
        if key is not None and key.startswith(_FIXED):
            raise ValidationException(
                f"The option '{key}' cannot be changed by statements.",
                hint="The program that made the session sets it.",
            )


_IN_FORCE: ContextVar[Restrictions] = ContextVar("restrictions", default=Restrictions())  # noqa: B039  # it is immutable


def current_restrictions() -> Restrictions:
    """Returns the restrictions in force in this thread; by default there are none."""
    return _IN_FORCE.get()


def keeping_restrictions(work: Callable[_P, _R]) -> Callable[_P, _R]:
    """Returns a function that runs ``work`` under the restrictions that are in force now: for another thread, which has none of its own.

    Example:
        >>> keeping_restrictions(len)([1, 2])
        2
    """
    restrictions = current_restrictions()
    if restrictions == Restrictions():
        return work

    def restricted(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with _InForce(restrictions):
            return work(*args, **kwargs)

    return restricted


def restrictions_of(modules: str | None, paths: str | None) -> Restrictions:
    """Returns the restrictions of the values of the two options, lists divided by semicolons; None means no restriction.

    Example:
        >>> restrictions_of("json; math", None)
        Restrictions(modules=('json', 'math'), paths=None)
    """
    return Restrictions(_parts(modules), _parts(paths))


def in_force(restrictions: Restrictions) -> AbstractContextManager[None]:
    """Returns a context in which the restrictions are in force."""
    return _InForce(restrictions)


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


def _named(holder: object) -> str:
    return f"the {'module' if isinstance(holder, ModuleType) else 'object'} '{getattr(holder, '__name__', type(holder).__name__)}'"


def _paths_in(key: str, value: str) -> Iterator[str]:
    """Yields the paths that the value of an option has: the value itself, if its key or its form says so, or each path of a list."""
    from table_common.secrets.keys import words_of

    words = words_of(key)
    names_path = bool(words) and words[-1] in _PATH_WORDS
    if names_path and words[-1] in _LISTS:
        yield from (part.strip() for part in re.split(r"[,;]", value) if part.strip())
    elif (names_path and value.strip()) or (len(value) > 2 and (_LIKE_A_PATH.match(value) or ".." in _SEPARATOR.split(value))):
        yield value
    if words and words[-1] in _HOSTS and not _URL.match(value):
        yield from (f"{_HOST_SCHEME}://{part.strip()}" for part in value.split(",") if part.strip())
