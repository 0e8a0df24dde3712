"""``--scheduler``: refreshes the materialized tables of the session's catalogs when their freshness has passed.

What it needs to know is in the catalogs: a scheduler that is killed is continued by the next one. A refresh becomes visible as a whole, and its time is
recorded after it, so the next scheduler repeats a refresh that was not recorded.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType

from sql_client.refresh_window import partitions_of_window
from sql_client.scheduler_lock import scheduler_locks
from table_api import TableEnvironment
from table_common.catalog import Catalog, CatalogMaterializedTable, ObjectIdentifier, RefreshMode, RefreshStatus
from table_common.configuration import time_zone_of
from table_common.exceptions import TableError
from table_common.terminal_text import escape_controls
from table_common.types import quote_identifier, quote_string

_LOG = logging.getLogger("table.scheduler")
_LONGEST_WAIT = 5.0
"""How many seconds pass before the catalogs are read again: tables are created, altered and resumed by other processes."""
_SLICE = 0.2
"""How many seconds pass before a signal ends the waiting."""


class Scheduler:
    """Refreshes the tables of a session that are due, one after the other."""

    def __init__(self, env: TableEnvironment, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._env = env
        self._clock = clock
        self._retries: dict[ObjectIdentifier, datetime] = {}
        """When tables are due whose last refresh has failed."""
        self.is_stopped = False

    def run(self) -> None:
        """Refreshes tables until Ctrl-C or SIGTERM, after which the current refresh ends; a second Ctrl-C interrupts it.

        Raises:
            TableException: another process is the scheduler of one of the catalogs.
        """
        catalogs = {name: self._catalog(name) for name in self._env.list_catalogs()}
        locks = [(name, lock) for name, catalog in catalogs.items() if (lock := catalog.scheduler_lock()) is not None]
        with scheduler_locks(locks), self._until_signals():
            _say(f"The scheduler refreshes the materialized tables of {', '.join(map(quote_identifier, catalogs))}.")
            while not self.is_stopped:
                self._wait(self.refresh_due_tables())

    def refresh_due_tables(self) -> float:
        """Refreshes the tables that are due; returns the seconds until the next one is."""
        due = [self._refresh_if_due(identifier) for identifier in self._identifiers() if not self.is_stopped]
        now = self._clock()
        return min((max((time - now).total_seconds(), 0.0) for time in due if time is not None), default=_LONGEST_WAIT)

    def _identifiers(self) -> Iterator[ObjectIdentifier]:
        for name in self._env.list_catalogs():
            try:
                catalog = self._catalog(name)
                found = [
                    ObjectIdentifier(name, database, table)
                    for database in catalog.list_databases()
                    for table in catalog.list_materialized_tables(database)
                ]
            except Exception as error:  # of a catalog that cannot be reached: the others go on
                _complain(f"The catalog '{name}' cannot be read", error)
                continue
            yield from found

    def _refresh_if_due(self, identifier: ObjectIdentifier) -> datetime | None:
        """Refreshes a table if it is due; returns when it is due again, None if the scheduler does not refresh it."""
        started = self._clock()
        table = None
        try:
            table = self._find(identifier)
            if table is None:
                self._retries.pop(identifier, None)
                return None
            last = table.refresh_handler.get("last_refresh")
            due = datetime.fromisoformat(last) + table.freshness.duration if last is not None else started
            due = max(due, self._retries.get(identifier, due))
            if due > started:
                return due
            self._refresh(identifier, table, datetime.fromisoformat(last) if last is not None else None, started)
            self._retries.pop(identifier, None)
        except Exception as error:  # of one table: the others go on
            _complain(f"The materialized table {identifier} was not refreshed", error)
            if table is None:
                return None
            self._retries[identifier] = started + table.freshness.duration
        return started + table.freshness.duration

    def _find(self, identifier: ObjectIdentifier) -> CatalogMaterializedTable | None:
        """Returns a table as it is now; None if it is not to be refreshed."""
        table = self._catalog(identifier.catalog_name).find_table(identifier.to_object_path())
        if not isinstance(table, CatalogMaterializedTable) or table.refresh_mode is not RefreshMode.FULL:
            return None
        is_mine = table.refresh_handler.get("scheduler", "embedded") == "embedded"
        return table if is_mine and table.refresh_status is RefreshStatus.ACTIVATED else None

    def _refresh(self, identifier: ObjectIdentifier, table: CatalogMaterializedTable, last: datetime | None, started: datetime) -> None:
        zone = time_zone_of(self._env.get_config().get_local_timezone())
        partitions = partitions_of_window(table, last, started, zone) if last is not None else None
        begun = time.monotonic()
        for partition in [{}] if partitions is None else partitions:
            values = ", ".join(f"{quote_identifier(column)} = {quote_string(value)}" for column, value in partition.items())
            what = f" PARTITION ({values})" if values else ""
            self._env.execute_sql(f"ALTER MATERIALIZED TABLE {identifier} REFRESH{what}").wait()
            _say(f"Refreshed {identifier}{what} in {time.monotonic() - begun:.1f} s.")
            begun = time.monotonic()
        self._record(identifier, table, started)

    def _record(self, identifier: ObjectIdentifier, refreshed: CatalogMaterializedTable, started: datetime) -> None:
        """Records the time of a refresh, unless the table got another query meanwhile."""
        catalog, path = self._catalog(identifier.catalog_name), identifier.to_object_path()
        with catalog.transaction():
            table = catalog.find_table(path)
            if isinstance(table, CatalogMaterializedTable) and table.definition_query == refreshed.definition_query:
                handler = {**table.refresh_handler, "last_refresh": started.isoformat()}
                catalog.alter_table(path, table.with_refresh(table.refresh_status, handler), True)

    def _catalog(self, name: str) -> Catalog:
        catalog = self._env.get_catalog(name)
        assert catalog is not None
        return catalog

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + min(seconds, _LONGEST_WAIT)
        while not self.is_stopped and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))

    @contextmanager
    def _until_signals(self) -> Iterator[None]:
        before = signal.signal(signal.SIGINT, self._stop)  # SIGTERM calls the handler of Ctrl-C
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopped:
            raise KeyboardInterrupt
        self.is_stopped = True


def _say(text: str) -> None:
    print(f"{datetime.now():%Y-%m-%d %H:%M:%S} {escape_controls(text, keep='')}", flush=True)


def _complain(text: str, error: Exception) -> None:
    reason = str(error) if isinstance(error, TableError) else f"[{type(error).__name__}] {error}"
    _LOG.error("%s", text, exc_info=error)
    shown = escape_controls(f"{text}: {reason}", keep="\n")
    print(f"{datetime.now():%Y-%m-%d %H:%M:%S} {shown}", file=sys.stderr, flush=True)
