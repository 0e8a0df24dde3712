"""Tables and views as catalogs store them, and resolved as planners and connectors see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, Self

from table_common.catalog.resolved_schema import ResolvedSchema
from table_common.catalog.schema import Schema
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.types import DataType


class _TableSchema(Protocol):
    """PyFlink's older class of schemas."""

    def get_field_names(self) -> list[str]: ...

    def get_field_data_types(self) -> list[DataType]: ...


def _schema_of(schema: Schema | _TableSchema) -> Schema:
    if isinstance(schema, Schema):
        return schema
    return Schema.new_builder().from_fields(schema.get_field_names(), schema.get_field_data_types()).build()


@dataclass(frozen=True, slots=True)
class TableDistribution:
    """``DISTRIBUTED BY kind(columns) INTO n BUCKETS``.

    Source: Flink's ``org.apache.flink.table.catalog.TableDistribution``.

    Example:
        >>> TableDistribution("HASH", ("id",), 4).bucket_count
        4
    """

    kind: str | None
    columns: tuple[str, ...]
    bucket_count: int | None


@dataclass(frozen=True)
class CatalogBaseTable:
    """What tables and views share.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogBaseTable``.

    Example:
        >>> table = CatalogTable(Schema.new_builder().column("id", "INT").build(), comment="orders")
        >>> isinstance(table, CatalogBaseTable), table.comment
        (True, 'orders')
    """

    schema: Schema
    comment: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    @staticmethod
    def create_table(
        schema: Schema | _TableSchema,
        partition_keys: Iterable[str] = (),
        properties: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> CatalogTable:
        """Returns a table; PyFlink's constructor. The schema may be a ``TableSchema``."""
        return CatalogTable(_schema_of(schema), comment, properties or {}, tuple(partition_keys))

    @staticmethod
    def create_view(
        original_query: str,
        expanded_query: str,
        schema: Schema | _TableSchema,
        properties: Mapping[str, str],
        comment: str | None = None,
    ) -> CatalogView:
        """Returns a view; PyFlink's constructor. The schema may be a ``TableSchema``."""
        return CatalogView(_schema_of(schema), comment, properties, original_query, expanded_query)

    def get_options(self) -> dict[str, str]:
        """Returns the options of the connector; those of a view have no meaning."""
        return dict(self.options)

    def get_unresolved_schema(self) -> Schema:
        """Returns the schema as it was declared."""
        return self.schema

    def get_comment(self) -> str | None:
        """Returns the comment, if there is one."""
        return self.comment

    def get_description(self) -> str | None:
        """Returns the comment, under PyFlink's other name."""
        return self.comment

    def get_detailed_description(self) -> str | None:
        """Returns the comment, which is the only description."""
        return self.comment

    def copy(self, options: Mapping[str, str] | None = None) -> Self:
        """Returns a copy, perhaps with other options."""
        return replace(self, options=dict(self.options if options is None else options))

    def __reduce__(self) -> tuple[object, ...]:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in values.items()}
        return _rebuild, (type(self), plain)


def _rebuild(cls: type[CatalogBaseTable], values: dict[str, object]) -> CatalogBaseTable:
    return cls(**values)  # type: ignore[arg-type]  # the fields of the same class


@dataclass(frozen=True)
class CatalogTable(CatalogBaseTable):
    """A table: schema, options of its connector, partition keys.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogTable``.

    Example:
        >>> table = CatalogTable(Schema.new_builder().column("id", "INT").build(), options={"connector": "print"})
        >>> table.copy({"connector": "blackhole"}).options["connector"]
        'blackhole'
    """

    partition_keys: tuple[str, ...] = ()
    distribution: TableDistribution | None = None


@dataclass(frozen=True)
class CatalogView(CatalogBaseTable):
    """A view: its query as written and with all names expanded.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogView``.

    Example:
        >>> schema = Schema.new_builder().column("id", "INT").build()
        >>> view = CatalogView(schema, original_query="SELECT id FROM t", expanded_query="SELECT `t`.`id` FROM `c`.`d`.`t` AS `t`")
        >>> view.original_query
        'SELECT id FROM t'
    """

    original_query: str = ""
    expanded_query: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedCatalogTable:
    """A table whose schema is resolved.

    Source: Flink's ``org.apache.flink.table.catalog.ResolvedCatalogTable``.

    Example:
        >>> from table_common.types import IntType
        >>> table = CatalogTable(Schema.new_builder().column("id", "INT").build(), options={"connector": "print"})
        >>> ResolvedCatalogTable(table, ResolvedSchema.physical([("id", IntType())])).options["connector"]
        'print'
    """

    origin: CatalogTable
    resolved_schema: ResolvedSchema

    @property
    def options(self) -> Mapping[str, str]:
        return self.origin.options

    @property
    def partition_keys(self) -> tuple[str, ...]:
        return self.origin.partition_keys

    @property
    def comment(self) -> str | None:
        return self.origin.comment


@dataclass(frozen=True, slots=True)
class ResolvedCatalogView:
    """A view whose schema is resolved.

    Source: Flink's ``org.apache.flink.table.catalog.ResolvedCatalogView``.

    Example:
        >>> from table_common.types import IntType
        >>> view = CatalogView(Schema.new_builder().column("id", "INT").build(), expanded_query="SELECT 1")
        >>> ResolvedCatalogView(view, ResolvedSchema.physical([("id", IntType())])).resolved_schema.column_names
        ('id',)
    """

    origin: CatalogView
    resolved_schema: ResolvedSchema
