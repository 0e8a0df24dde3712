"""What user functions need beside their code: files to import, files and archives to read, packages. A part of every ``TableEnvironment``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from table_common.configuration import PipelineOptions, PythonOptions
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
        path = str(Path(file_path.removeprefix("file://")).resolve())
        if "," in path:
            raise ValidationException(f"'{path}' cannot be added as a Python file.", hint="Paths have no commas.")
        known = self._session.configuration.get(PythonOptions.PYTHON_FILES)
        self._session.configuration.set(PythonOptions.PYTHON_FILES, f"{known},{path}" if known else path)

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Gives user functions what is in a zip or tar archive, as the folder ``target_dir`` of the working directory, here and on Spark's workers.

        It is unpacked to a temporary folder, to which a link in the working directory leads until the program ends: in the process functions run in
        the program, whose working directory cannot be another. ``FunctionContext.get_cached_file(target_dir)`` is its full path. Nothing is
        imported from it; that is ``add_python_file``.

        Args:
            archive_path: The archive, or a folder.
            target_dir: The name of the folder; by default that of the archive's file, as ``data.zip``.

        Raises:
            ValidationException: there is no such archive, the working directory has something else of the name, or the option cannot hold it.
        """
        from table_api.resolution.user_calls import link_python_archives

        path = Path(archive_path.removeprefix("file://")).resolve()
        for text in (str(path), target_dir or path.name):
            if any(mark in text for mark in ",#"):
                raise ValidationException(f"'{text}' cannot be added as an archive.", hint="Names and paths have no commas and no '#'.")
        if target_dir is not None and (Path(target_dir).is_absolute() or ".." in Path(target_dir).parts):
            raise ValidationException(f"An archive is unpacked in the working directory, but '{target_dir}' is out of it.", hint="'data'")
        entry = str(path) if target_dir is None else f"{path}#{target_dir}"
        link_python_archives(entry)
        known = self._session.configuration.get(PythonOptions.PYTHON_ARCHIVES)
        self._session.configuration.set(PythonOptions.PYTHON_ARCHIVES, f"{known},{entry}" if known else entry)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Records what user functions need; installing it on the workers is the cluster's business."""
        value = requirements_file_path if requirements_cache_dir is None else f"{requirements_file_path}#{requirements_cache_dir}"
        self._session.configuration.set(PythonOptions.PYTHON_REQUIREMENTS, value)

    def register_cached_file(self, file_path: str, name: str) -> None:
        """Gives user functions a file or folder, here and on Spark's workers, as ``FunctionContext.get_cached_file(name)``.

        Raises:
            ValidationException: there is no such file, or the path or the name has characters that the option cannot hold.
        """
        from table_api.resolution.user_calls import cached_files

        path = Path(file_path.removeprefix("file://")).resolve()
        if not path.exists():
            raise ValidationException(f"The cached file '{file_path}' does not exist.")
        for text in (str(path), name):
            if not text or any(mark in text for mark in ",;"):
                raise ValidationException(
                    f"'{text}' cannot be registered as a cached file.", hint="Names and paths have no commas or semicolons."
                )
        known = {**cached_files(self._session.configuration.get(PipelineOptions.CACHED_FILES) or ""), name: str(path)}
        self._session.configuration.set(PipelineOptions.CACHED_FILES, ";".join(f"name:{key},path:{value}" for key, value in known.items()))
