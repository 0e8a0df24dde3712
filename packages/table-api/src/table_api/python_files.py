"""The option ``python.files``: files that user functions can import in this process."""

from __future__ import annotations

import sys
from pathlib import Path

from table_common.exceptions import ValidationException
from table_common.restrictions import current_restrictions

__all__ = ["make_importable"]


def make_importable(files: str) -> None:
    """Adds Python files, folders of packages and archives, separated by commas, to ``sys.path``.

    Raises:
        ValidationException: one of them does not exist, or the session's restrictions forbid its path.
    """
    for file in filter(None, map(str.strip, files.split(","))):
        current_restrictions().check_path(file, "The option 'python.files'")
        path = Path(file.removeprefix("file://")).resolve()
        if not path.exists():
            raise ValidationException(f"The Python file '{file}' does not exist.")
        folder = str(path.parent if path.suffix == ".py" else path)
        if folder not in sys.path:
            sys.path.append(folder)
