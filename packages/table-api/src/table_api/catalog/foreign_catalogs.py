"""Catalogs of PyFlink that are clients of Java: creating one raises an error that names the replacement."""

from __future__ import annotations

from typing import Self

from table_common.catalog import Catalog
from table_common.exceptions import ValidationException


class HiveCatalog(Catalog):
    """The catalog of a Hive metastore; it cannot be created here."""

    def __new__(cls, catalog_name: str, default_database: str | None = None, hive_conf_dir: str | None = None) -> Self:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise ValidationException(
            f"The catalog '{catalog_name}' cannot be created: HiveCatalog needs Hive's client, which is written in Java.",
            hint="CREATE CATALOG … WITH ('type' = 'sqlite', 'path' = '…') stores tables in a file; "
            "on Spark, the tables of its metastore are in the catalog of the session.",
        )


class JdbcCatalog(Catalog):
    """The tables of a database as a catalog; it cannot be created here."""

    def __new__(
        cls, catalog_name: str, default_database: str, username: str, pwd: str, base_url: str, driver_jar: str | None = None
    ) -> Self:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise ValidationException(
            f"The catalog '{catalog_name}' cannot be created: JdbcCatalog needs a JDBC driver, which is written in Java.",
            hint="Declare the tables that are read with CREATE TABLE, and keep them in a catalog of the type 'sqlite'.",
        )
