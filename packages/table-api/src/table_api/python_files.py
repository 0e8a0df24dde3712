"""The option ``python.files``: files that user functions can import in this process."""

from __future__ import annotations

import sys
from pathlib import Path

from table_common.configuration import Configuration, PythonOptions
from table_common.exceptions import ValidationException
from table_common.gate import current_gate

_added: set[str] = set()
"""The folders that this module has added to ``sys.path``."""


def local_path(path: str) -> str:
    """Returns the absolute path of a file or folder; ``file://`` may stand before it.

    Raises:
        ValidationException: it is the URL of another place, or has a comma.
    """
    if "://" in path.removeprefix("file://") or "," in path:
        raise ValidationException(f"'{path}' cannot be added as a Python file.", hint="It is a path of this machine without commas.")
    return str(Path(path.removeprefix("file://")).resolve())


def add_python_file(configuration: Configuration, path: str) -> None:
    """Puts a file in front of those of the option ``python.files``.

    Raises:
        ValidationException: it does not exist, or the session's restrictions forbid its path.
    """
    known = (configuration.get(PythonOptions.PYTHON_FILES) or "").split(",")
    if known[0] != path:
        configuration.set(PythonOptions.PYTHON_FILES, ",".join([path, *(each for each in known if each and each != path)]))


def make_importable(files: str) -> None:
    """Adds Python files, folders of packages and archives, separated by commas, to ``sys.path``, after what is there.

    Of equal names of modules, that of the first file is imported, and that of this call before those of earlier calls.

    Raises:
        ValidationException: one of them does not exist or cannot be used, or the session's restrictions forbid its path.
    """
    folders = [_folder(file) for file in filter(None, map(str.strip, files.split(",")))]
    for folder in reversed(folders):
        if folder in _added and folder in sys.path:
            sys.path.remove(folder)
        if folder not in sys.path:
            place = next((i for i, entry in enumerate(sys.path) if entry in _added), len(sys.path))
            sys.path.insert(place, folder)
            _added.add(folder)


def _folder(file: str) -> str:
    """Returns the entry of ``sys.path`` for a file."""
    try:
        path = current_gate().path(file, "The option 'python.files'").resolve(strict=True)
    except FileNotFoundError:
        raise ValidationException(f"The Python file '{file}' does not exist.") from None
    except (OSError, RuntimeError, ValueError) as error:  # too long a name, a cycle of links, a NUL
        reason = getattr(error, "strerror", None) or error
        raise ValidationException(f"The Python file '{file}' cannot be used: {reason}.") from error
    return str(path.parent if path.suffix == ".py" else path)
