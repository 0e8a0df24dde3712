"""Catalog stores: in memory, and in a folder with a file for each catalog."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import RLock, get_ident
from typing import Any
from urllib.parse import quote, unquote

from table_common.annotation import override
from table_common.catalog import CatalogDescriptor, CatalogStore
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.durable_files import publish_new
from table_common.exceptions import CatalogException, ValidationException
from table_common.factories import CatalogStoreFactory, validate_options
from table_common.object_names import check_no_nul
from table_common.secrets import make_private, open_private

PATH = ConfigOptions.key("path").string_type().no_default_value().with_description("The folder of the file store; it is created if needed.")
_SUFFIX = ".json"
_VERSION = 1


class GenericInMemoryCatalogStore(CatalogStore):
    """Keeps the descriptors of catalogs in memory, for the session.

    Source: Flink's ``org.apache.flink.table.catalog.GenericInMemoryCatalogStore``.
    """

    def __init__(self) -> None:
        self._catalogs: dict[str, CatalogDescriptor] = {}
        self._lock = RLock()

    @override
    def store_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        with self._lock:
            if catalog_name in self._catalogs:
                raise CatalogException(f"Catalog '{catalog_name}' exists already.")
            self._catalogs[catalog_name] = catalog

    @override
    def remove_catalog(self, catalog_name: str, ignore_if_not_exists: bool) -> None:
        with self._lock:
            if self._catalogs.pop(catalog_name, None) is None and not ignore_if_not_exists:
                raise CatalogException.unknown("Catalog", catalog_name, self._catalogs, where="the catalog store")

    @override
    def get_catalog(self, catalog_name: str) -> CatalogDescriptor | None:
        return self._catalogs.get(catalog_name)

    @override
    def list_catalogs(self) -> list[str]:
        with self._lock:
            return sorted(self._catalogs)


class FileCatalogStore(CatalogStore):
    """Keeps one JSON file per catalog in a folder. Files are written atomically, and several processes may share the folder.

    Source: Flink's ``org.apache.flink.table.catalog.FileCatalogStore``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = Path(path).expanduser().absolute()

    @override
    def open(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise CatalogException(f"The folder '{self._folder}' of the catalog store cannot be created: {error.strerror}.") from error
        for name in self.list_catalogs():
            make_private(self._file(name))

    @override
    def store_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        try:
            self._write(catalog_name, catalog, publish_new)
        except FileExistsError:
            raise CatalogException(f"Catalog '{catalog_name}' exists already.") from None

    @override
    def replace_catalog(self, catalog_name: str, catalog: CatalogDescriptor) -> None:
        self._write(catalog_name, catalog, os.replace)

    def _write(self, catalog_name: str, catalog: CatalogDescriptor, publish: Callable[[Path, Path], None]) -> None:
        value = {"version": _VERSION, "options": dict(catalog.options), "comment": catalog.comment}
        temporary = self._folder / f".{os.getpid()}-{get_ident()}.tmp"
        try:
            temporary.unlink(missing_ok=True)  # left over by a killed process
            with open_private(temporary) as file:
                json.dump(value, file, ensure_ascii=False, indent=2)
                file.flush()
                os.fsync(file.fileno())
            publish(temporary, self._file(catalog_name))
        except FileExistsError:
            raise
        except OSError as error:
            hint = "Choose a shorter name: the name of the catalog is also that of its file." if error.errno == errno.ENAMETOOLONG else None
            raise CatalogException(
                f"Catalog '{catalog_name}' cannot be written to '{self._folder}': {error.strerror}.", hint=hint
            ) from error
        finally:
            temporary.unlink(missing_ok=True)

    @override
    def remove_catalog(self, catalog_name: str, ignore_if_not_exists: bool) -> None:
        try:
            self._file(catalog_name).unlink()
        except OSError as error:
            if _is_missing(error):
                if ignore_if_not_exists:
                    return
                raise CatalogException.unknown("Catalog", catalog_name, self.list_catalogs(), where="the catalog store") from None
            raise CatalogException(f"Catalog '{catalog_name}' cannot be removed from '{self._folder}': {error.strerror}.") from error

    @override
    def get_catalog(self, catalog_name: str) -> CatalogDescriptor | None:
        file = self._file(catalog_name)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            if _is_missing(error):
                return None
            raise CatalogException(f"The file '{file}' of the catalog store cannot be read: {error.strerror}.") from error
        try:
            value = json.loads(text)
            version, options, comment = value["version"], value["options"], value["comment"]
            if version > _VERSION:
                raise CatalogException(
                    f"The file '{file}' of the catalog store has version {version}; this program supports version {_VERSION}.",
                    hint="a newer version of table-api has written it: upgrade this one",
                )
            return CatalogDescriptor({str(key): str(option) for key, option in options.items()}, comment)
        except CatalogException:
            raise
        except (ValueError, TypeError, KeyError, AttributeError):
            raise CatalogException(
                f"The file '{file}' of the catalog store does not declare a catalog.", hint="remove it and CREATE CATALOG again"
            ) from None

    @override
    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs that are declared, sorted.

        Raises:
            CatalogException: the folder cannot be read.
        """
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CatalogException(f"The folder '{self._folder}' of the catalog store cannot be read: {error.strerror}.") from error
        return sorted(unquote(name.removesuffix(_SUFFIX)) for name in names if name.endswith(_SUFFIX) and not name.startswith("."))

    @override
    def contains(self, catalog_name: str) -> bool:
        """Returns whether a catalog of that name is declared.

        Raises:
            CatalogException: the folder cannot be read.
        """
        file = self._file(catalog_name)
        try:
            file.stat()
        except OSError as error:
            if _is_missing(error):
                return False
            raise CatalogException(f"The file '{file}' of the catalog store cannot be read: {error.strerror}.") from error
        return True

    def _file(self, catalog_name: str) -> Path:
        # Dots are escaped too, so that no name makes a hidden file or a path outside the folder.
        return self._folder / (quote(catalog_name, safe="").replace(".", "%2E") + _SUFFIX)


def _is_missing(error: OSError) -> bool:
    """Whether the error says that there is no such file. A file whose name is too long for the file system cannot exist."""
    return error.errno in (errno.ENOENT, errno.ENAMETOOLONG)


class GenericInMemoryCatalogStoreFactory(CatalogStoreFactory):
    """Creates catalog stores of the kind ``generic_in_memory``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "generic_in_memory"

    @override
    def create_catalog_store(self, context: CatalogStoreFactory.Context) -> GenericInMemoryCatalogStore:
        validate_options(context.options, (), (), "the catalog store 'generic_in_memory'")
        return GenericInMemoryCatalogStore()


class FileCatalogStoreFactory(CatalogStoreFactory):
    """Creates catalog stores of the kind ``file``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "file"

    @property
    @override
    def required_options(self) -> tuple[ConfigOption[Any], ...]:
        return (PATH,)

    @override
    def create_catalog_store(self, context: CatalogStoreFactory.Context) -> FileCatalogStore:
        options = validate_options(context.options, self.required_options, (), "the catalog store 'file'")
        path = options.get(PATH)
        if not path:
            raise ValidationException("Option 'table.catalog-store.file.path' is empty; it is the folder of the catalog store.")
        check_no_nul(path, "option 'table.catalog-store.file.path'")
        return FileCatalogStore(path)
