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
        ValidationException: one of them does not exist or cannot be used, or the session's restrictions forbid its path.
    """
    for file in filter(None, map(str.strip, files.split(","))):
        current_restrictions().check_path(file, "The option 'python.files'")
        try:
            path = Path(file.removeprefix("file://")).resolve(strict=True)
        except FileNotFoundError:
            raise ValidationException(f"The Python file '{file}' does not exist.") from None
        except (OSError, RuntimeError, ValueError) as error:  # too long a name, a cycle of links, a NUL
            reason = getattr(error, "strerror", None) or error
            raise ValidationException(f"The Python file '{file}' cannot be used: {reason}.") from error
        folder = str(path.parent if path.suffix == ".py" else path)
        if folder not in sys.path:
            sys.path.append(folder)
