"""A user function as catalogs store it: the name of its class."""

from __future__ import annotations

from typing import Self

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """``class_name`` is ``module.Class``, or ``module.name`` of an object that ``udf``, ``udtf``, ``udaf`` or ``udtaf`` created; ``language`` is PYTHON.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogFunction``.

    Example:
        >>> CatalogFunction("my_module.Longest").language
        'PYTHON'
    """

    class_name: str
    language: str = "PYTHON"
    description: str | None = None
    artifacts: tuple[str, ...] = ()
    """Paths of wheels, zips, Python files or folders that have the class."""

    @classmethod
    def create_instance(cls, class_name: str, function_language: str = "Python") -> Self:
        """Returns the function of a class; PyFlink's constructor.

        Raises:
            ValidationException: the language is not Python.
        """
        if function_language.upper() != "PYTHON":
            raise ValidationException(
                f"A function in {function_language} cannot be stored: there is no Java virtual machine in the process.",
                hint="Write the function in Python: CatalogFunction.create_instance('module.Class')",
            )
        return cls(class_name)

    def get_class_name(self) -> str:
        """Returns the name of the class or object."""
        return self.class_name

    def get_function_language(self) -> str:
        """Returns the language, PYTHON."""
        return self.language

    def get_description(self) -> str | None:
        """Returns the description, if there is one."""
        return self.description

    def get_detailed_description(self) -> str | None:
        """Returns the description, which is the only one."""
        return self.description

    def get_options(self) -> dict[str, str]:
        """Returns the options of the function: it has none."""
        return {}

    def copy(self) -> Self:
        """Returns the function itself: it cannot be changed."""
        return self
