"""The methods of ``TableEnvironment`` that register functions of Java: they raise an error that names the replacement."""

from __future__ import annotations

from typing import NoReturn

from table_common.exceptions import ValidationException


class JavaFunctionMethods:
    """Methods of PyFlink without a meaning here: there is no Java virtual machine in the process."""

    def create_java_function(self, path: str, function_class_name: str, ignore_if_exists: bool | None = None) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _refused("create_java_function", path, "create_function")

    def create_java_temporary_function(self, path: str, function_class_name: str) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _refused("create_java_temporary_function", path, "create_temporary_function")

    def create_java_temporary_system_function(self, name: str, function_class_name: str) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _refused("create_java_temporary_system_function", name, "create_temporary_system_function")


def _refused(method: str, path: str, replacement: str) -> ValidationException:
    return ValidationException(
        f"{method} cannot register '{path}': functions of Java do not run in Python.",
        hint=f"Write the function in Python and register it: {replacement}({path!r}, …)",
    )
