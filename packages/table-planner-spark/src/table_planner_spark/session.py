"""Spark sessions: those of the planner's own, which are quiet and quick to start, and those that a user hands over.

The JVM of the planner's own sessions is shared by all planners of the process and ends with the last of them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, BinaryIO

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from table_common.configuration import Configuration, ReadableConfig, TableConfigOptions
from table_common.exceptions import TableException
from table_planner_spark.java import start_environment
from table_planner_spark.options import spark_options

__all__ = ["EngineSession", "local_session", "open_session"]

_LOCK = threading.RLock()
_SESSION_LOCKS: weakref.WeakKeyDictionary[SparkSession, threading.RLock] = weakref.WeakKeyDictionary()
_QUIET_OPTIONS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class EngineSession:
    """A Spark session and what the planner may do with it; closed once."""

    def __init__(self, spark: SparkSession, *, is_ours: bool, lease: _Lease | None = None) -> None:
        self.spark = spark
        self.is_ours = is_ours
        self._lease = lease
        self._all_options: Any = None
        self._known: tuple[tuple[Any, ...], dict[str, str | None]] | None = None
        with _LOCK:
            self._lock = _SESSION_LOCKS.setdefault(spark, threading.RLock())

    @contextmanager
    def options(self, options: Mapping[str, str]) -> Iterator[None]:
        """Sets options of the session while the block runs; nobody else of this project translates with it meanwhile."""
        with self._lock:
            before = self._differing(options)
            conf = self.spark.conf
            for key in before:
                conf.set(key, options[key])
            try:
                yield
            finally:
                if not self.is_ours:
                    for key, kept in before.items():
                        if kept is None:
                            conf.unset(key)
                        else:
                            conf.set(key, kept)

    def _differing(self, options: Mapping[str, str]) -> dict[str, str | None]:
        """Returns what the options that are not so are set to; None for what has Spark's default.

        To ask for each takes milliseconds, so that it is done again only if something of the session was set since.
        """
        if self._all_options is None:
            self._all_options = self.spark._jsparkSession.sessionState().conf()
        state = (self._all_options.getAllConfs().hashCode(), *options.items())
        if self._known is None or self._known[0] != state:
            conf = self.spark.conf
            self._known = state, {key: conf.get(key, None) for key, value in options.items() if conf.get(key) != value}
        return self._known[1]

    def close(self) -> None:
        """Gives back a session of our own; a user's session is left as it is."""
        if self._lease is not None:
            self._lease.release()
            self._lease = None


class _Lease:
    """The JVM that the planner started, counted."""

    _users = 0
    _context: SparkContext | None = None

    def __init__(self, context: SparkContext) -> None:
        _Lease._context = context
        _Lease._users += 1

    def release(self) -> None:
        with _LOCK:
            _Lease._users -= 1
            if _Lease._users == 0 and _Lease._context is not None:
                _Lease._context.stop()
                _Lease._context = None


def open_session(configuration: ReadableConfig, existing: object | None = None) -> EngineSession:
    """Returns the user's session, or one of our own: a new one on a running Spark, else on a Spark that is started now.

    Raises:
        TableException: what was handed over is no classic session, or Spark cannot be started.
    """
    if existing is not None:
        if not isinstance(existing, SparkSession) or not hasattr(existing, "sparkContext") or "connect" in type(existing).__module__:
            raise TableException(
                f"The planner 'spark' takes a classic pyspark.sql.SparkSession, but got {type(existing).__module__}.{type(existing).__name__}."
            )
        return EngineSession(existing, is_ours=False)
    with _LOCK:
        running = SparkContext._active_spark_context
        if running is not None and running is not _Lease._context:
            # Somebody else's Spark: a session of our own in it, so that its options stay theirs.
            spark = SparkSession.builder.getOrCreate().newSession()
            _apply_sql_options(spark, configuration)
            return EngineSession(spark, is_ours=True)
        if running is None:
            running = _start(configuration)
        spark = SparkSession(running).newSession()
        _apply_sql_options(spark, configuration)
        return EngineSession(spark, is_ours=True, lease=_Lease(running))


def local_session(master: str = "local[*]", options: Mapping[str, str] | None = None) -> SparkSession:
    """Starts Spark in this process, quietly and with the Java that the planner would find, and returns its session.

    The session is the caller's, to be handed to environments and stopped; if Spark runs already, a new session of it is returned.

    Args:
        master: where it runs, as ``spark.master`` says it.
        options: options of Spark; they hold before the quiet defaults.
    """
    configuration = Configuration({"spark.master": master, **(options or {})})
    with _LOCK:
        running = SparkContext._active_spark_context
        if running is None:
            _start(configuration)
            return SparkSession.builder.getOrCreate()
        spark = SparkSession.builder.getOrCreate().newSession()
        _apply_sql_options(spark, configuration)
        return spark


def _apply_sql_options(spark: SparkSession, configuration: ReadableConfig) -> None:
    for key, value in spark_options(configuration).items():
        if key.startswith("spark.sql.") and spark.conf.isModifiable(key):
            spark.conf.set(key, value)


def _start(configuration: ReadableConfig) -> SparkContext:
    scratch = Path(tempfile.mkdtemp(prefix="table-spark-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    log = scratch / "driver.log"
    conf = SparkConf(loadDefaults=False).setAll(list(_start_options(configuration, scratch).items()))
    _load_quietly()
    try:
        with start_environment(conf.get("spark.pyspark.python", sys.executable)), log.open("wb") as stderr:
            gateway = _launch(conf, stderr)
            with _handler_of_interrupts_kept():
                return SparkContext(conf=conf, gateway=gateway)
    except TableException:
        raise
    except Exception as error:
        said = log.read_text(errors="replace").strip().splitlines()[-5:] if log.exists() else []
        raise TableException("Spark cannot be started" + (":\n  " + "\n  ".join(said) if said else f": {error}")) from error


@contextmanager
def _handler_of_interrupts_kept() -> Iterator[None]:
    """Undoes what PySpark does to Ctrl-C: its handler calls the JVM, which fails (*reentrant call*) while this thread talks to it.

    Jobs are cancelled by what waits for them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _load_quietly() -> None:
    """Loads the module of PySpark that warns of pandas 3 when a session starts.

    The warning is about PySpark's own use of pandas: its pandas API, toPandas and pandas functions. Nothing of that is used here, data crosses
    as Arrow, so it is not for users of tables. A program that uses pandas through PySpark itself is warned there.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with suppress(ImportError):
            import pyspark.testing.utils  # noqa: F401  # for its effect


def _launch(conf: SparkConf, output: BinaryIO) -> Any:
    if "PYSPARK_GATEWAY_PORT" in os.environ:  # spark-submit has started the JVM
        return None
    return launch_gateway(conf, {"stderr": output, "stdout": output})  # type: ignore[no-untyped-call]


def _start_options(configuration: ReadableConfig, scratch: Path) -> dict[str, str]:
    given = spark_options(configuration)
    master = given.get("spark.master", configuration.get(TableConfigOptions.SPARK_MASTER))
    options = {
        **_QUIET_OPTIONS,
        "spark.app.name": "table-planner-spark",
        "spark.master": master,
        "spark.pyspark.driver.python": sys.executable,
        "spark.pyspark.python": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "spark.sql.warehouse.dir": (scratch / "warehouse").as_uri(),
    }
    if master.startswith("local"):
        options["spark.sql.shuffle.partitions"] = str(min(8, max(2, os.cpu_count() or 2)))
        options["spark.driver.memory"] = f"{_driver_memory_mb()}m"
        options["spark.driver.maxResultSize"] = "512m"
    java = given.pop("spark.driver.extraJavaOptions", "")
    options["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={_log_configuration(scratch)} {java}".strip()
    return {**options, **given}


def _driver_memory_mb() -> int:
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_048_576
    except (ValueError, OSError):
        return 1024
    return max(1024, min(8192, physical // 4))


def _log_configuration(scratch: Path) -> str:
    # A copy, because the package may be inside an archive.
    with as_file(files("table_planner_spark") / "log4j2.properties") as source:
        target = scratch / "log4j2.properties"
        shutil.copy(source, target)
        return target.as_uri()
