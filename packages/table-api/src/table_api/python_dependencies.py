"""What user functions need beside their code: files to import, files to read, packages. A part of every ``TableEnvironment``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.execution import TableSession

__all__ = ["PythonDependencies"]


class PythonDependencies:
    """The methods of an environment that record files and packages, each in the option that PyFlink has for it."""

    _session: TableSession

    def add_python_file(self, file_path: str) -> None:
        """Makes a Python file, a folder of packages or an archive importable for user functions, here and on Spark's workers.

        Raises:
            ValidationException: there is no such file.
        """
        from table_api.resolution.user_calls import PYTHON_FILES

        path = Path(file_path).resolve()
        if not path.exists():
            raise ValidationException(f"The Python file '{file_path}' does not exist.")
        known = self._session.configuration.get(PYTHON_FILES)
        self._session.configuration.set(PYTHON_FILES, f"{known},{path}" if known else str(path))
        folder = str(path.parent if path.suffix == ".py" else path)
        if folder not in sys.path:
            sys.path.append(folder)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Records what user functions need; installing it on the workers is the cluster's business."""
        from table_api.resolution.user_calls import PYTHON_REQUIREMENTS

        value = requirements_file_path if requirements_cache_dir is None else f"{requirements_file_path}#{requirements_cache_dir}"
        self._session.configuration.set(PYTHON_REQUIREMENTS, value)

    def register_cached_file(self, file_path: str, name: str) -> None:
        """Gives user functions a file or folder, here and on Spark's workers, as ``FunctionContext.get_cached_file(name)``.

        Raises:
            ValidationException: there is no such file, or the path or the name has characters that the option cannot hold.
        """
        from table_api.resolution.user_calls import CACHED_FILES, cached_files

        path = Path(file_path.removeprefix("file://")).resolve()
        if not path.exists():
            raise ValidationException(f"The cached file '{file_path}' does not exist.")
        for text in (str(path), name):
            if not text or any(mark in text for mark in ",;"):
                raise ValidationException(
                    f"'{text}' cannot be registered as a cached file.", hint="Names and paths have no commas or semicolons."
                )
        known = {**cached_files(self._session.configuration.get(CACHED_FILES) or ""), name: str(path)}
        self._session.configuration.set(CACHED_FILES, ";".join(f"name:{key},path:{value}" for key, value in known.items()))
