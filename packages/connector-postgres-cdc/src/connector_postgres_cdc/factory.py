"""The factory: reads the options, finds the tables, and checks their columns and what the log has of updates."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from connector_jdbc import Database, require_storable
from connector_postgres_cdc import options as opt
from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.rows import CapturedTable, RowShape
from connector_postgres_cdc.source import PostgresCdcTableSource
from connector_postgres_cdc.tables import find_tables, require_version
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory


class PostgresCdcTableFactory(DynamicTableSourceFactory):
    """Creates sources of tables of PostgreSQL and their changes.

    Example:
        >>> PostgresCdcTableFactory().factory_identifier
        'postgres-cdc'
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "postgres-cdc"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return opt.REQUIRED

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return opt.OPTIONAL

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> PostgresCdcTableSource:
        config = self.validated_options(context, at_least={opt.CHUNK_SIZE: 1, opt.PARALLELISM: 1, opt.LAG_WARNING: 1})
        where, row_type = context.where, context.physical_row_type
        for field in row_type.fields:
            require_storable(field.type, f"Column '{field.name}' of {where}")
        startup = config.get(opt.STARTUP_MODE)
        slot = config.get_optional(opt.SLOT_NAME) or ""
        if not slot and startup != "snapshot":
            raise ValidationException(
                f"The options of {where} lack 'slot.name', by which a job finds its position in the log again.",
                hint="a slot's name has lower-case letters, digits and _, and each job has its own",
            )
        if slot and not re.fullmatch("[a-z0-9_]{1,63}", slot):
            raise ValidationException(
                f"The option 'slot.name' of {where} is '{slot}', which PostgreSQL takes for no name of a slot.",
                hint="a slot's name has at most 63 lower-case letters, digits and _: set another 'slot.name'",
            )
        database = _database(context, config)
        with database.session() as session:
            require_version(session, database)
            tables = find_tables(session, database, config.get(opt.SCHEMA_NAME), config.get(opt.TABLE_NAME), row_type, where)
            ((name,),) = session.rows("SELECT current_database()::text")
        is_upsert = startup != "snapshot" and _is_upsert(config.get_optional(opt.CHANGELOG_MODE), tables, context)
        key = tuple(field for field in row_type.fields if field.name in context.primary_key)
        capture = Capture(
            database,
            tables,
            RowShape(row_type, (), key, is_upsert, name, startup != "snapshot"),
            slot,
            config.get_optional(opt.PUBLICATION) or slot,
            startup,
            config.get(opt.CHUNK_SIZE),
            config.get(opt.PARALLELISM),
            config.get(opt.HEARTBEAT).total_seconds(),
            config.get(opt.LAG_WARNING),
            config.get(opt.ON_TRUNCATE) == "ignore",
            config.get(opt.DROP_ON_STOP),
            (config.get(opt.SCHEMA_NAME), config.get(opt.TABLE_NAME)),
        )
        return PostgresCdcTableSource(where[0].upper() + where[1:], capture, row_type)


def _database(context: DynamicTableFactory.Context, config: ReadableConfig) -> Database:
    url, host, name = config.get_optional(opt.URL), config.get_optional(opt.HOSTNAME), config.get_optional(opt.DATABASE_NAME)
    where = context.where
    if (url is None) == (host is None):
        raise ValidationException(f"The options of {where} must have either 'url' or 'hostname'.")
    if host is not None:
        if name is None:
            raise ValidationException(f"The options of {where} must have 'database-name' beside 'hostname'.")
        port = config.get(opt.PORT)
        is_folder = host.startswith("/")
        server = "" if is_folder else f"{f'[{host}]' if ':' in host else quote(host, safe='')}:{port}"
        url = f"postgresql://{server}/{quote(name, safe='')}"
        if is_folder:
            url += f"?host={quote(host, safe='')}&port={port}"
    assert url is not None
    seconds = max(2, int(config.get(opt.CONNECT_TIMEOUT).total_seconds()))
    return Database.of(
        context.gate.url(url, f"The option '{opt.URL.key if host is None else opt.HOSTNAME.key}' of {where}"),
        config.get_optional(opt.USERNAME),
        config.get_optional(opt.PASSWORD),
        seconds,
    )


def _is_upsert(mode: str | None, tables: tuple[CapturedTable, ...], context: DynamicTableFactory.Context) -> bool:
    """Returns whether the source gives no old rows, and checks what that needs."""
    where, key = context.where, context.primary_key
    lacking = next((table for table in tables if not table.is_full), None)
    if mode == "all" and lacking is not None:
        raise ValidationException(
            f"'changelog-mode' = 'all' of {where} needs the old rows of updates, which the log does not have of {lacking.where}.",
            hint=f"run ALTER TABLE {lacking.sql} REPLICA IDENTITY FULL in PostgreSQL, or set 'changelog-mode' = 'upsert'",
        )
    if mode == "all" or (mode is None and lacking is None):
        return False
    if not key:
        shown = (lacking or tables[0]).sql
        raise ValidationException(
            f"{where[0].upper()}{where[1:]} gives new rows by primary key, but declares none.",
            hint=f"declare PRIMARY KEY (…) NOT ENFORCED, or run ALTER TABLE {shown} REPLICA IDENTITY FULL in PostgreSQL",
        )
    for table in tables:
        missing = [name for name in key if name in table.columns and name not in table.identity]
        if missing and not table.is_full:
            raise ValidationException(
                f"The primary key of {where} has the column '{missing[0]}', which the log does not have of deletions in {table.where}.",
                hint=f"declare the primary key ({', '.join(table.identity)}) that PostgreSQL has, or run ALTER TABLE {table.sql} REPLICA IDENTITY FULL",
            )
    return True
