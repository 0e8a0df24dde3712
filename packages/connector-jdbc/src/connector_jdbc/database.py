"""Connections to PostgreSQL: URLs, statements, transactions, retries and errors."""

from __future__ import annotations

import functools
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from connector_jdbc.failures import failure_of, is_transient
from table_common.connector.sql import quote_name
from table_common.exceptions import TableError, ValidationException
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import AllowedUrl, Gate, current_gate

_T = TypeVar("_T")
LOG = logging.getLogger("table.connector.jdbc")
_BATCH_BYTES = 8 << 20
"""The size of the batches of a scan, so that memory stays flat."""
_SETTINGS = {"application_name": "table-connector", "client_encoding": "UTF8"}
_SERVER_SETTINGS = "-c standard_conforming_strings=on -c extra_float_digits=3 -c quote_all_identifiers=off"
_OF_SERVER = ("host", "hostaddr", "port")
"""Parameters that name the server."""
_JDBC_ONLY = frozenset({"currentSchema", "stringtype", "reWriteBatchedInserts", "prepareThreshold", "tcpKeepAlive"})


def table_path(name: str) -> tuple[str, ...]:
    """Returns the parts of a table name: schema and table, or the table alone; a part in double quotes may contain dots.

    Raises:
        ValidationException: the name has more than two parts, or an empty one.

    Example:
        >>> table_path('sales."a.b"')
        ('sales', 'a.b')
    """
    parts = re.findall(r'\s*("(?:[^"]|"")*"|[^".][^.]*)\s*(?:\.|$)', name)
    plain = tuple(part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts)
    shown = ".".join(parts)
    if not 1 <= len(plain) <= 2 or not all(plain) or shown != name.strip():
        raise ValidationException(
            f"The table name '{name}' must be table or schema.table.", hint='write parts that contain dots in double quotes: "a.b"'
        )
    return plain


def _split_url(url: str) -> SplitResult:
    """Returns the parts of a URL. The errors do not show it: a password that is not encoded can be in any part."""
    scheme = re.match(r"(?:[A-Za-z][A-Za-z0-9+.-]*:){1,2}(?=//)", url)
    if scheme is None or scheme[0].removeprefix("jdbc:") not in ("postgresql:", "postgres:"):
        raise ValidationException(
            f"The option 'url' must be the URL of a PostgreSQL database, but begins with '{scheme[0] if scheme else '…'}'.",
            hint="write jdbc:postgresql://host:port/database, or postgresql:///database?host=/folder/of/the/socket",
        )
    try:
        parts = urlsplit(url.removeprefix("jdbc:"))
    except ValueError:
        parts = None
    hosts = parts.netloc.rpartition("@")[2].split(",") if parts is not None else []
    if (
        parts is None
        or "#" in url
        or "@" in parts.path
        or not all(re.fullmatch(r"(\[[0-9A-Fa-f:.]+(%25?[\w.-]+)?\]|[^:\[\]]*)(:[0-9]*)?", host) for host in hosts)
        or not all("=" in option for option in parts.query.split("&") if option)
    ):
        raise ValidationException(
            "The option 'url' is not a URL of the form postgresql://user:password@host:port/database?option=value.",
            hint="the port is a number; special characters of user, password and database are encoded: %40 for @, %2F for /, %3A for :, "
            "%3F for ?, %23 for #. Or use the options 'username' and 'password', which need no encoding",
        )
    return parts


def _libpq_options(options: dict[str, str]) -> dict[str, str]:
    """Returns the options of a URL of JDBC as libpq knows them. ``ssl=true`` is encryption with a verified server, as in PostgreSQL's JDBC driver."""
    found = {key: value for key, value in options.items() if key not in (*_JDBC_ONLY, "ssl", "sslfactory", "ApplicationName")}
    if options.get("ssl", "false").lower() in ("", "true"):
        verifies = not options.get("sslfactory", "").endswith("NonValidatingFactory")
        found.setdefault("sslmode", "verify-full" if verifies else "require")
    if "ApplicationName" in options:
        found["application_name"] = options["ApplicationName"]
    return found


@functools.lru_cache(maxsize=16)
def _driver_database(process: int, uri: AllowedUrl) -> Any:
    """Returns the driver's database of this process: it reads PostgreSQL's types once, which takes longer than a connection."""
    import adbc_driver_postgresql

    return adbc_driver_postgresql.connect(uri)


class _Kept:
    """What a connection closes at its end instead of the driver's database, which others use."""

    def close(self) -> None: ...


class Session:
    """A connection. Failures are ``TableError``s without the password."""

    def __init__(self, database: Database, connection: Any) -> None:
        self._database = database
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Runs a statement with its parameters ($1, $2, …) and returns its rows; for small results."""
        with self._cursor(sql, copies=False) as cursor:
            cursor.execute(sql, tuple(parameters) or None)
            found: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
            return found

    def bound(self, sql: str, parameters: Any) -> Any:
        """Runs a query with a record batch of one row as its parameters, and returns the result as a ``pyarrow.Table``."""
        with self._cursor(sql, copies=False) as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetch_arrow_table()

    @contextmanager
    def reader(self, sql: str) -> Iterator[Any]:
        """Runs a query through COPY and yields a ``pyarrow.RecordBatchReader``, which streams."""
        with self._cursor(sql, copies=True) as cursor:
            cursor.execute(sql)
            yield cursor.fetch_record_batch()

    def copy_in(self, schema: str, table: str, rows: Any) -> None:
        """Appends a record batch to a table by COPY; its columns have exactly the types of the table's."""
        with self._cursor(f"COPY {quote_name(table)} -- {rows.num_rows} rows", copies=False) as cursor:
            cursor.adbc_ingest(table, rows, mode="append", db_schema_name=schema)

    @contextmanager
    def transaction(self, *, begin: str = "BEGIN") -> Iterator[None]:
        """Commits at the end of the block, rolls back after a failure."""
        self.rows(begin)
        try:
            yield
        except BaseException:
            with suppress(Exception):
                self.rows("ROLLBACK")
            raise
        self.rows("COMMIT")

    @contextmanager
    def _cursor(self, sql: str, *, copies: bool) -> Iterator[Any]:
        from adbc_driver_postgresql import StatementOptions
        from pyarrow import ArrowException

        LOG.debug("%s", sql)
        cursor = self._connection.cursor()
        try:
            cursor.adbc_statement.set_options(
                **{
                    StatementOptions.USE_COPY.value: "true" if copies else "false",
                    StatementOptions.BATCH_SIZE_HINT_BYTES.value: str(_BATCH_BYTES),
                }
            )
            yield cursor
        except self._database.errors as error:
            raise failure_of(error, self._database.place, sql) from error
        except (OSError, ArrowException) as error:  # the reader of a stream
            raise failure_of(error, self._database.place, sql) from error
        finally:
            with suppress(Exception):
                cursor.close()

    def close(self) -> None:
        """Closes the connection; a transaction is rolled back."""
        with suppress(Exception):
            self._connection.close()


@dataclass(frozen=True, slots=True)
class Database:
    """A database of a server, and the user who connects.

    Example:
        >>> Database.of(current_gate().url("jdbc:postgresql://db.example.com:5433/shop", "table t"), "ada").place
        "PostgreSQL's database 'shop' at db.example.com:5433"
    """

    url: AllowedUrl
    """A URL of libpq without password."""
    password: str | None = field(default=None, repr=False)
    place: str = "PostgreSQL"
    """What messages call the database."""
    connect_seconds: int = 60

    @classmethod
    def of(cls, url: AllowedUrl, username: str | None = None, password: str | None = None, connect_seconds: int = 60) -> Database:
        """Returns the database of a URL: of JDBC, or of libpq.

        Raises:
            ValidationException: the URL names no PostgreSQL database, or has characters that must be encoded.
        """
        parts = _split_url(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        is_jdbc = url.startswith("jdbc:")
        user = username or options.pop("user", None) or (unquote(parts.username) if parts.username else None)
        secret = options.pop("password", None) or (unquote(parts.password) if parts.password else None)
        schema = options.get("currentSchema") if is_jdbc else None
        if is_jdbc:
            options = _libpq_options(options)
        server = f"{_SERVER_SETTINGS} {options.pop('options', '')}".strip()
        if schema is not None:
            escaped = re.sub(r"([\\\s])", r"\\\1", schema)  # spaces separate the options
            server += f" -c search_path={escaped}"
        server_part = parts.netloc.rpartition("@")[2]
        query = urlencode({**_SETTINGS, "connect_timeout": str(connect_seconds), **options, "options": server}, quote_via=quote)
        login = f"{quote(user, safe='')}@" if user else ""
        name = unquote(parts.path.removeprefix("/"))
        host = options.get("host", server_part) or "the local socket"
        place = f"PostgreSQL's database '{name or user or 'postgres'}' at {host}"
        built = Gate.derived_url(f"postgresql://{login}{server_part}/{quote(name, safe='')}?{query}")
        return cls(built, password or secret, place, connect_seconds)

    def with_name(self, name: str) -> Database:
        """Returns another database of the same server.

        Raises:
            ValidationException: statements of the session must not use it.
        """
        parts = urlsplit(self.url)
        named = [(key, value) for key, value in parse_qsl(parts.query) if key in _OF_SERVER]
        shown = f"postgresql://{parts.netloc.rpartition('@')[2]}/{quote(name, safe='')}"
        current_gate().url(
            f"{shown}?{urlencode(named, quote_via=quote, safe='/')}" if named else shown, f"The database '{name}' of PostgreSQL"
        )
        url = Gate.derived_url(parts._replace(path=f"/{quote(name, safe='')}").geturl())
        place = re.sub(r"database '.*?' at", lambda _: f"database '{name}' at", self.place, count=1)
        return Database(url, self.password, place, self.connect_seconds)

    @property
    def errors(self) -> type[Exception]:
        """The base class of the driver's errors."""
        from adbc_driver_postgresql.dbapi import Error

        raised: type[Exception] = Error
        return raised

    def open(self) -> Session:
        """Returns a session in autocommit mode.

        Raises:
            TableError: the server cannot be reached, or refuses the user or the database.
        """
        import adbc_driver_manager
        from adbc_driver_postgresql import dbapi

        uri = self.url if self.password is None else Gate.derived_url(f"{self.url}&password={quote(self.password, safe='')}")
        try:
            shared = _driver_database(os.getpid(), uri)
            connection = dbapi.Connection(_Kept(), adbc_driver_manager.AdbcConnection(shared), autocommit=True)
        except self.errors as error:
            raise failure_of(error, self.place, None, self.password) from None  # the driver's error may show the URL
        return Session(self, connection)

    def session(self) -> AbstractContextManager[Session]:
        """Opens a session, which is closed at the end of the block; errors are those of ``open``."""
        return closing(self.open())

    def retried(self, call: Callable[[], _T], retries: int) -> _T:
        """Returns the result of a call that can be repeated, and repeats it after a lost connection or a deadlock.

        Raises:
            TableError: the last attempt failed, or the failure is not transient.
        """
        for attempt in range(retries + 1):
            try:
                return call()
            except TableError as error:
                if attempt == retries or not is_transient(error):
                    if attempt:
                        error.message += f" Tried {attempt + 1} times."
                    raise
            time.sleep(min(0.1 * 2**attempt, 5.0))
        raise AssertionError("the last attempt returns or raises")
