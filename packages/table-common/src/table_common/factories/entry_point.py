"""The installed implementations: entry points of the distributions on ``sys.path``.

``importlib.metadata`` also reads them, but loads the standard library's e-mail package: 50 ms, a tenth of a small query. The file format
is simple, so this module reads it; for distributions that it cannot find (in archives, by other import hooks) it uses
``importlib.metadata``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder

from table_common.frozen_dataclass import dataclass

_METADATA_FOLDERS = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class InstalledEntry:
    """One entry point: its name, the object that it refers to (``package.module:Name``), and the distribution that declares it."""

    name: str
    value: str
    distribution: str

    def load(self) -> object:
        """Imports the object.

        Raises:
            ImportError: the module cannot be imported, or has no such object.
        """
        module_name, _, path = self.value.partition("[")[0].strip().partition(":")
        found: object = import_module(module_name.strip())
        for name in filter(None, path.strip().split(".")):
            try:
                found = getattr(found, name)
            except AttributeError as error:
                raise ImportError(f"'{module_name.strip()}' has no '{path.strip()}'") from error
        return found


def installed_entries(group: str) -> tuple[InstalledEntry, ...]:
    """Returns the entry points of a group; they are read once for each value of ``sys.path``."""
    return _installed(group, tuple(sys.path))


@cache
def _installed(group: str, path: tuple[str, ...]) -> tuple[InstalledEntry, ...]:
    found = _read_folders(group, path) if _is_plain(path) else _from_importlib(group)
    # An editable install beside a wheel shows the same entry twice.
    return tuple({(entry.name, entry.value): entry for entry in found}.values())


def _is_plain(path: tuple[str, ...]) -> bool:
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions") and finder is not PathFinder]
    return not finders and not any(os.path.isfile(entry) for entry in path)


def _read_folders(group: str, path: tuple[str, ...]) -> Iterator[InstalledEntry]:
    """Yields the entries of all distributions; of two with the same name the first on the path counts, as for imports."""
    seen: set[str] = set()
    for folder in dict.fromkeys(path):
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for name in names:
            if not name.endswith(_METADATA_FOLDERS):
                continue
            distribution = name.rpartition(".")[0].partition("-")[0].replace("_", "-")
            if distribution.lower() in seen:
                continue
            seen.add(distribution.lower())
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), encoding="utf-8") as file:
                    text = file.read()
            except OSError:
                continue
            yield from _parse(group, text, distribution)


def _parse(group: str, text: str, distribution: str) -> Iterator[InstalledEntry]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[] ")
        elif section == group and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield InstalledEntry(name.strip(), value.strip(), distribution)


def _from_importlib(group: str) -> Iterator[InstalledEntry]:
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        yield InstalledEntry(entry.name, entry.value, entry.dist.name if entry.dist is not None else "an unknown distribution")
