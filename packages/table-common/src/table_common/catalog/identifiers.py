"""Names of catalog objects: a path within a catalog, and the full identifier."""

from __future__ import annotations

from table_common.frozen_dataclass import dataclass
from table_common.name_text import check_no_nul
from table_common.types.logical import quote_identifier

__all__ = ["ObjectIdentifier", "ObjectPath"]


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

    def __str__(self) -> str:
        return f"{quote_identifier(self.database_name)}.{quote_identifier(self.object_name)}"


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
