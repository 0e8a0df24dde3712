"""The methods of ``TableEnvironment`` about dependencies of user functions: Python files, archives, requirements, cached files."""

from __future__ import annotations

from pathlib import Path

from table_api.environment.session_holder import SessionHolder
from table_common.configuration import PipelineOptions, PythonOptions
from table_common.exceptions import ValidationException


class PythonDependencies(SessionHolder):
    """Registers dependencies, each in the option that PyFlink has for it."""

    def add_python_file(self, file_path: str) -> None:
        """Makes a Python file, a folder of packages or an archive importable, in this process and in Spark's workers.

        Of two files with a module of the same name, the module of the last one is imported.

        Raises:
            ValidationException: it does not exist, or its path has a comma.
        """
        from table_api.python_files import add_python_file, local_path  # few programs have such files

        add_python_file(self._session.configuration, local_path(file_path))

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Unpacks a zip or tar archive for user functions into the folder ``target_dir`` of the working directory.

        This holds in this process and in Spark's workers. The archive is unpacked into a temporary folder; until the program ends, a link in
        the working directory points to it. ``FunctionContext.get_cached_file(target_dir)`` returns the full path. Python does not import from
        the folder; use ``add_python_file`` for that.

        Args:
            archive_path: the archive, or a folder.
            target_dir: the name of the folder; by default the name of the archive's file, such as ``data.zip``.

        Raises:
            ValidationException: the archive does not exist, the working directory has another entry of that name, or a name or path has a
                comma or '#'.
        """
        from table_api.resolution.user_calls import link_python_archives

        path = Path(archive_path.removeprefix("file://")).resolve()
        for text in (str(path), target_dir or path.name):
            if any(mark in text for mark in ",#"):
                raise ValidationException(f"'{text}' cannot be added as an archive.", hint="Names and paths have no commas and no '#'.")
        if target_dir is not None and (Path(target_dir).is_absolute() or ".." in Path(target_dir).parts):
            raise ValidationException(
                f"An archive is unpacked inside the working directory, but '{target_dir}' is outside.", hint="use a name such as 'data'"
            )
        entry = str(path) if target_dir is None else f"{path}#{target_dir}"
        link_python_archives(entry)
        known = self._session.configuration.get(PythonOptions.PYTHON_ARCHIVES)
        self._session.configuration.set(PythonOptions.PYTHON_ARCHIVES, f"{known},{entry}" if known else entry)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Checks that the packages of a requirements file are installed, and records the file. Nothing is installed.

        Args:
            requirements_file_path: the file.
            requirements_cache_dir: the folder of packages for an installation without network.

        Raises:
            ValidationException: the file does not exist, or a package is missing; the hint has the command that installs it.
        """
        # Differs from Flink: packages are not installed into an environment of the job. The error names those that are missing.
        from table_api.environment.python_requirements import check_requirements

        check_requirements(requirements_file_path, requirements_cache_dir)
        value = requirements_file_path if requirements_cache_dir is None else f"{requirements_file_path}#{requirements_cache_dir}"
        self._session.configuration.set(PythonOptions.PYTHON_REQUIREMENTS, value)

    def register_cached_file(self, file_path: str, name: str) -> None:
        """Makes a file or folder available to user functions as ``FunctionContext.get_cached_file(name)``, also in Spark's workers.

        Raises:
            ValidationException: it does not exist, or the path or name is empty or has a comma or semicolon.
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
