"""The options of a ``sqlite`` catalog."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from table_api.catalog.sqlite_catalog import SqliteCatalog
from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.exceptions import ValidationException
from table_common.factories import CatalogFactory, validate_options
from table_common.object_names import check_no_nul

PATH = ConfigOptions.key("path").string_type().no_default_value().with_description("The file; it is created if it does not exist.")
DEFAULT_DATABASE = (
    ConfigOptions.key("default-database")
    .string_type()
    .default_value("default")
    .with_description("The database that becomes current with the catalog; it is created if it does not exist.")
)
WAREHOUSE = (
    ConfigOptions.key("warehouse")
    .string_type()
    .no_default_value()
    .with_description("The folder of the tables that are declared without 'connector': files in `<warehouse>/<database>/<table>`.")
)
LOCK_TIMEOUT = (
    ConfigOptions.key("lock-timeout")
    .duration_type()
    .default_value(timedelta(seconds=60))
    .with_description("How long to wait for locks of other processes.")
)


class SqliteCatalogFactory(CatalogFactory):
    """Creates catalogs of the type ``sqlite``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "sqlite"

    @property
    @override
    def required_options(self) -> tuple[ConfigOption[Any], ...]:
        return (PATH,)

    @property
    @override
    def optional_options(self) -> tuple[ConfigOption[Any], ...]:
        return (DEFAULT_DATABASE, WAREHOUSE, LOCK_TIMEOUT)

    @override
    def create_catalog(self, context: CatalogFactory.Context) -> SqliteCatalog:
        options = validate_options(context.options, self.required_options, self.optional_options, f"catalog '{context.name}'")
        path, database = options.get(PATH), options.get(DEFAULT_DATABASE)
        if not path or path.startswith((":", "file:")):
            raise ValidationException(
                f"Option 'path' of catalog '{context.name}' is the path of a file, but got '{path}'.",
                hint="a catalog in memory has 'type' = 'generic_in_memory'",
            )
        check_no_nul(path, f"option 'path' of catalog '{context.name}'")
        if not database:
            raise ValidationException(f"Option 'default-database' of catalog '{context.name}' is empty.")
        warehouse = options.get_optional(WAREHOUSE)
        if warehouse is not None and not warehouse.strip():
            raise ValidationException(f"Option 'warehouse' of catalog '{context.name}' is empty.", hint="name a folder")
        return SqliteCatalog(
            context.name,
            context.gate.path(path, f"The option 'path' of catalog '{context.name}'"),
            database,
            options.get(LOCK_TIMEOUT).total_seconds(),
            context.gate.path(warehouse, f"The option 'warehouse' of catalog '{context.name}'") if warehouse is not None else None,
        )
