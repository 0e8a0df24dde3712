"""The gate of the restricted mode: the only maker of the values with which code opens what a statement names.

A function that opens a file or folder takes an ``AllowedPath``, one that opens a URL an ``AllowedUrl``, one that connects to an address an
``AllowedHost``, and one that imports a module an ``AllowedModule``. Only the methods of ``Gate`` make them, after decoding and on resolved
paths, so mypy finds code that opens a text of a statement without asking. In a session without restrictions everything is allowed.
What is found later, such as the matches of a pattern, links and the folders of partitions, goes through ``Gate.found``.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NewType

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass, field
from table_common.restrictions import ALLOWED_MODULES_KEY, ALLOWED_PATHS_KEY, Restrictions, current_restrictions, in_force, restrictions_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from table_common.configuration import ReadableConfig

__all__ = ["AllowedHost", "AllowedModule", "AllowedPath", "AllowedUrl", "Gate", "current_gate", "import_allowed", "restrictions_in_force"]

AllowedPath = NewType("AllowedPath", Path)
"""An absolute local path that may be opened."""
AllowedUrl = NewType("AllowedUrl", str)
"""A URL that may be opened."""
AllowedHost = NewType("AllowedHost", str)
"""Addresses, separated by commas, to which code may connect."""
AllowedModule = NewType("AllowedModule", str)
"""The name of a module that may be imported."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Checks what a statement names against restrictions, and makes the values that code needs to open it.

    A factory gets it as ``context.gate``. It can be pickled, so a source or sink can keep it for what it finds when it runs.

    Example:
        >>> gate = Gate(Restrictions(paths=("/data/shop",)))
        >>> gate.path("file:///data/shop/a%20b.csv", "the option 'path' of table t").name
        'a b.csv'
        >>> gate.path("file:///data/shop/%2e%2e/x.csv", "The option 'path' of table t")
        Traceback (most recent call last):
        ...
        table_common.exceptions.ValidationException: The option 'path' of table t: the path 'file:///data/shop/%2e%2e/x.csv' must not be used by statements of this session.
        hint: The program that made the session allows folders and URLs by 'table.security.allowed-paths'.
    """

    restrictions: Restrictions = field(default_factory=Restrictions)

    @classmethod
    def of_session(cls, configuration: ReadableConfig) -> Gate:
        """Returns the gate of a session with these options, for what a client opens on behalf of its user."""
        return cls(_restrictions_of_session(configuration))

    @property
    def restricts_code(self) -> bool:
        """Whether the session restricts modules or paths, so that no other program may be started for its user."""
        return self.restrictions != Restrictions()

    @property
    def is_open(self) -> bool:
        """Whether the session restricts no paths."""
        return self.restrictions.paths is None

    def path(self, text: str | os.PathLike[str], where: str) -> AllowedPath:
        """Returns the local path of a path or ``file:`` URL. With restrictions, its links are resolved: what is checked is what is opened.

        Raises:
            ValidationException: it must not be used, or is not a path of this machine.
        """
        from table_common.path_readings import decoded_path

        text = os.fspath(text)
        self.restrictions.check_path(text, where)
        try:
            path = decoded_path(text)
        except ValueError:
            raise ValidationException(f"{where}: '{text}' is not on this machine.", hint="Use a path or file:///…") from None
        return self.found(path, where)

    def found(self, path: Path, where: str) -> AllowedPath:
        """Returns a path that was found, such as an entry of a folder. Nothing in its name is decoded or expanded.

        Raises:
            ValidationException: it leads out of the allowed folders.
        """
        if self.is_open:
            return AllowedPath(path)
        self.restrictions.check_found(path, where)
        return AllowedPath(Path(os.path.realpath(path)))

    def found_all(self, paths: Sequence[Path], where: str) -> list[AllowedPath]:
        """Returns paths that were found, as they are: their links stay.

        Raises:
            ValidationException: one of them leads out of the allowed folders.
        """
        if not self.is_open:
            for path in paths:
                self.restrictions.check_found(path, where)
        return [AllowedPath(path) for path in paths]

    def url(self, text: str, where: str) -> AllowedUrl:
        """Returns a URL of a server or a remote file system.

        Raises:
            ValidationException: it must not be used.
        """
        self.restrictions.check_path(text, where)
        return AllowedUrl(text)

    def location(self, text: str, where: str) -> AllowedPath | AllowedUrl:
        """Returns a local path, or the URL of a remote file system.

        Raises:
            ValidationException: it must not be used.
        """
        from table_common.path_readings import is_url

        return self.url(text, where) if is_url(text) else self.path(text, where)

    def host(self, addresses: str, where: str) -> AllowedHost:
        """Returns addresses ``host:port``, separated by commas. ``table.security.allowed-paths`` names them ``tcp://host:port``.

        Raises:
            ValidationException: one of them must not be used.
        """
        for address in filter(None, map(str.strip, addresses.split(","))):
            self.restrictions.check_path(f"tcp://{address.rpartition('://')[2]}", where)
        return AllowedHost(addresses)

    def module(self, name: str, where: str) -> AllowedModule:
        """Returns the name of a module to import.

        Raises:
            ValidationException: it must not be imported.
        """
        self.restrictions.check_module(name, where)
        return AllowedModule(name)

    def member(self, holder: object, name: str, where: str) -> Any:
        """Returns ``holder.name``, of a module or of an object in one.

        Raises:
            AttributeError: there is none.
            ValidationException: the module only imported it, or the class inherited it, from a module that is not allowed.
        """
        found = getattr(holder, name)
        self.restrictions.check_member(holder, name, found, where)
        return found

    def in_force(self) -> AbstractContextManager[None]:
        """Returns a context in which the restrictions of this gate are in force: for a source or sink that kept it, in another thread or process."""
        return in_force(self.restrictions)

    @staticmethod
    def derived_url(url: str) -> AllowedUrl:
        """Returns a URL that code made of an ``AllowedUrl``: that of a listed file, or with a login. Remote file systems have no links."""
        return AllowedUrl(url)

    @staticmethod
    def of_program(path: Path) -> AllowedPath:
        """Returns a path that the program itself chose, or that a statement could only set to an allowed one: restrictions do not concern it."""
        return AllowedPath(path)

    @staticmethod
    def location_of_program(text: str) -> AllowedPath | AllowedUrl:
        """Returns the path or URL of a folder that the program itself chose, as ``of_program`` does; a ``file:`` URL is not decoded."""
        from table_common.path_readings import is_url

        if is_url(text):
            return AllowedUrl(text.rstrip("/"))
        return AllowedPath(Path(text.removeprefix("file://").removeprefix("file:")))


def current_gate() -> Gate:
    """Returns the gate with the restrictions in force in this thread.

    Example:
        >>> current_gate().is_open
        True
    """
    return Gate(current_restrictions())


def import_allowed(name: AllowedModule) -> ModuleType:
    """Imports a module.

    Raises:
        ImportError: it cannot be imported.
    """
    from importlib import import_module

    return import_module(name)


def restrictions_in_force(configuration: ReadableConfig) -> AbstractContextManager[None]:
    """Returns a context in which the restrictions of a session with these options are in force.

    Example:
        >>> from table_common.configuration import ReadableConfig
        >>> with restrictions_in_force(ReadableConfig({"table.security.allowed-modules": "json"})):
        ...     current_gate().restrictions.modules
        ('json',)
    """
    restrictions = _restrictions_of_session(configuration)
    return nullcontext() if restrictions == Restrictions() else in_force(restrictions)


def _restrictions_of_session(configuration: ReadableConfig) -> Restrictions:
    return restrictions_of(configuration.get(ALLOWED_MODULES_KEY), configuration.get(ALLOWED_PATHS_KEY))
