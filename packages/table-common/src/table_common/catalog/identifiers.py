"""Names of catalog objects: a path within a catalog, and the full identifier."""

from __future__ import annotations

from typing import Self

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.object_names import check_no_nul
from table_common.types.logical import quote_identifier


@dataclass(frozen=True, slots=True, order=True)
class ObjectPath:
    """A database and the name of an object in it.

    Source: Flink's ``org.apache.flink.table.catalog.ObjectPath``.

    Example:
        >>> ObjectPath("db", "orders").object_name
        'orders'
    """

    database_name: str
    object_name: str

    def __post_init__(self) -> None:
        check_no_nul(self.database_name, "a name")
        check_no_nul(self.object_name, "a name")

    @classmethod
    def from_string(cls, full_name: str) -> Self:
        """Returns the path that ``get_full_name`` wrote.

        Raises:
            ValidationException: the text does not consist of two names with a dot in between.
        """
        parts = full_name.split(".")
        if len(parts) != 2 or not all(parts):
            raise ValidationException(
                f"'{full_name}' is not a path in a catalog.", hint="Write the database and the object: database.object"
            )
        return cls(*parts)

    def get_database_name(self) -> str:
        """Returns the name of the database."""
        return self.database_name

    def get_object_name(self) -> str:
        """Returns the name of the object."""
        return self.object_name

    def get_full_name(self) -> str:
        """Returns both names with a dot in between, unquoted."""
        return f"{self.database_name}.{self.object_name}"

    def compare_to(self, other: ObjectPath) -> int:
        """Returns a negative number, 0 or a positive number if this path is sorted before, with or after ``other``."""
        return (self > other) - (self < other)

    def __str__(self) -> str:
        return self.get_full_name()


@dataclass(frozen=True, slots=True, order=True)
class ObjectIdentifier:
    """The full name of an object: catalog, database, object.

    Source: Flink's ``org.apache.flink.table.catalog.ObjectIdentifier``.

    Example:
        >>> ObjectIdentifier("cat", "db", "my table").as_serializable_string()
        '`cat`.`db`.`my table`'
    """

    catalog_name: str
    database_name: str
    object_name: str

    def __post_init__(self) -> None:
        for part in self.parts:
            check_no_nul(part, "a name")

    @classmethod
    def of(cls, catalog_name: str, database_name: str, object_name: str) -> Self:
        """Returns an identifier."""
        return cls(catalog_name, database_name, object_name)

    def get_catalog_name(self) -> str:
        """Returns the name of the catalog."""
        return self.catalog_name

    def get_database_name(self) -> str:
        """Returns the name of the database."""
        return self.database_name

    def get_object_name(self) -> str:
        """Returns the name of the object."""
        return self.object_name

    def to_list(self) -> list[str]:
        """Returns catalog, database and object name."""
        return list(self.parts)

    def to_object_path(self) -> ObjectPath:
        """Returns the path within the catalog."""
        return ObjectPath(self.database_name, self.object_name)

    @property
    def parts(self) -> tuple[str, str, str]:
        """Catalog, database and object name."""
        return self.catalog_name, self.database_name, self.object_name

    def as_serializable_string(self) -> str:
        """Returns the three parts in back-ticks."""
        return ".".join(map(quote_identifier, self.parts))

    def as_summary_string(self) -> str:
        """Returns the three parts joined by dots."""
        return ".".join(self.parts)

    def __str__(self) -> str:
        return self.as_serializable_string()
