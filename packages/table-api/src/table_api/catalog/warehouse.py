"""The folder below which a catalog keeps the rows of tables that are declared without 'connector'."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from table_common.catalog import Catalog, CatalogBaseTable, CatalogTable, ObjectPath
from table_common.exceptions import CatalogException, ValidationException
from table_common.factories import FactoryUtil
from table_common.gate import AllowedPath

_T = TypeVar("_T", bound=CatalogBaseTable)


class Warehouse:
    """Tables are folders ``<warehouse>/<database>/<table>`` of files, which are deleted with the table."""

    def __init__(self, folder: AllowedPath) -> None:
        self.folder = folder

    def options(self, table_path: ObjectPath) -> Mapping[str, str]:
        """Returns connector and path of a table.

        Raises:
            ValidationException: its name, or that of its database, cannot be the name of a folder.
        """
        for name in (table_path.database_name, table_path.object_name):
            if not name.strip(".") or name.startswith(".") or any(character in name for character in "/\\\0"):
                raise ValidationException(
                    f"'{name}' cannot be the name of a folder in the warehouse '{self.folder}'.",
                    hint="use another name, or give the table a 'connector' and a 'path'",
                )
        return {FactoryUtil.CONNECTOR.key: "filesystem", "path": str(self.folder / table_path.database_name / table_path.object_name)}

    def prepare(self, table: CatalogBaseTable) -> bool:
        """Creates the folder of a new table, which may not have files: they would be rows of the table. Returns whether it is in the warehouse.

        Raises:
            CatalogException: it has, or cannot be created.
        """
        folder = self._folder_of(table)
        if folder is None:
            return False
        if folder.is_dir() and any(folder.iterdir()):
            raise CatalogException(
                f"The folder '{folder}' of the new table has files already.",
                hint="delete them, or declare the table with 'connector' = 'filesystem', 'path' and 'format' to read them",
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CatalogException(f"The folder '{folder}' of the new table cannot be created: {error.strerror}.") from error
        return True

    def remove(self, table: CatalogBaseTable) -> bool:
        """Deletes the folder of a table, if it is in the warehouse; returns whether it was."""
        folder = self._folder_of(table)
        if folder is None or not folder.is_dir():
            return False
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise CatalogException(f"The folder '{folder}' of the table cannot be deleted: {error.strerror}.") from error
        return True

    def _folder_of(self, table: CatalogBaseTable) -> Path | None:
        path = table.options.get("path")
        if not isinstance(table, CatalogTable) or table.options.get(FactoryUtil.CONNECTOR.key) != "filesystem" or path is None:
            return None
        folder = Path(path)
        return folder if folder.parent.parent == self.folder else None


def with_managed_options(table: _T, catalog: Catalog | None, table_path: ObjectPath) -> _T:
    """Returns a table that is to be created with the connector of its catalog's warehouse, if it names none and there is one.

    Raises:
        CatalogException: the table is new, and its folder has files.
    """
    if not isinstance(table, CatalogTable) or catalog is None or FactoryUtil.CONNECTOR.key in table.options:
        return table
    managed = catalog.managed_table_options(table_path)
    if not managed:
        return table
    completed = table.copy({**managed, **table.options})
    if not catalog.table_exists(table_path):
        catalog.prepare_managed_rows(completed)
    return completed
