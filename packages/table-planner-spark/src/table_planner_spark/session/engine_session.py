"""Spark sessions: the planner's own, which start quickly and log little, and those that a user passes in.

The JVM of the planner's own sessions is shared by all planners of the process and ends with the last of them. If a JVM dies, the next statement of
such a session starts another.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, BinaryIO

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.sql import DataFrame, SparkSession

from table_api_bridge import is_spark_connect
from table_common.configuration import Configuration, ReadableConfig, TableConfigOptions, available_processors, memory_budget
from table_common.exceptions import TableError, TableException
from table_common.redaction import HiddenValues
from table_planner_spark.optimizer_rules import OPTIMIZER_OPTIONS
from table_planner_spark.options import spark_options
from table_planner_spark.session.clones import clone_session, frame_in, set_options, state_of
from table_planner_spark.session.java import start_environment
from table_planner_spark.session.jvm import is_alive, jvm_ended, launched_by_us, note_launch, renew_cut_connections, stop_jvm
from table_planner_spark.session.options_file import options_in_a_file
from table_planner_spark.spark_internals import gateway_of, gateway_of_process, has_jvm_context, launch_jvm, running_context

_LOCK = threading.RLock()
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""The variable by which spark-submit tells a program about the JVM that it has started."""
_STACK = "-Xss16m"
"""The stack that Spark needs to parse expressions of the greatest depth that statements may have."""
_LEAST_HEAP_MB = 512
"""Spark does not start with less than 450 MB."""
_QUIET_OPTIONS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.timeType.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class EngineSession:
    """A Spark session with the operations that the planner needs. It is closed once.

    Statements run in clones of it, one for each set of options that statements need. The options of a clone never change, so statements do not
    wait for each other, and the options of the program's session stay as they are.
    """

    def __init__(self, spark: SparkSession, *, is_ours: bool, lease: _OwnSpark | None = None, root: EngineSession | None = None) -> None:
        self.spark = spark
        self.is_ours = is_ours
        self.translation = threading.RLock()
        """Held while a statement is translated in this session; not while it runs."""
        self._gateway = gateway_of(spark.sparkContext)
        self._lease = lease
        renew_cut_connections(self._gateway)
        self._root: EngineSession = self if root is None else root
        self._guard = threading.RLock()
        self._clones: dict[frozenset[tuple[str, str]], EngineSession] = {}
        self._cloned_state: Hashable = None
        self._adopted: weakref.WeakKeyDictionary[DataFrame, DataFrame] = weakref.WeakKeyDictionary()

    @property
    def program(self) -> Any:
        """The session of the program: the one whose clone this is."""
        return self._root.spark

    def for_options(self, options: Mapping[str, str]) -> EngineSession:
        """Returns the session in which statements with these options are analyzed and run.

        Another one is made after the program has changed options, temporary views or functions of its session.
        """
        root, key = self._root, frozenset(options.items())
        with root._guard:
            state = root._state()
            if state != root._cloned_state:
                root._clones.clear()
                root._cloned_state = state
            found = root._clones.get(key)
            if found is None:
                found = root._clones[key] = root._with_options(options)
            return found

    def _state(self) -> Hashable:
        return None if self.is_ours else state_of(self.spark)

    def _with_options(self, options: Mapping[str, str]) -> EngineSession:
        if self.is_ours and not self._clones and OPTIMIZER_OPTIONS.isdisjoint(options):
            set_options(self.spark, options)
            return self  # nobody else uses it
        return EngineSession(clone_session(self.spark, options), is_ours=self.is_ours, root=self)

    def adopt(self, frame: DataFrame) -> DataFrame:
        """Returns a DataFrame of the program for statements of this session.

        Raises:
            TableException: the DataFrame is of another Spark, which this session cannot read.
        """
        if is_spark_connect(frame.sparkSession):
            raise foreign_frame("of Spark Connect")
        found = self._adopted.get(frame)
        if found is None:
            found = frame_in(frame, self.spark)
            if found is not frame:
                self._adopted[frame] = found
        return found

    def hand_over(self, frame: DataFrame) -> DataFrame:
        """Returns a DataFrame of this session as one of the program's session. Its analyzed plan keeps the options of this one."""
        return frame_in(frame, self.program)

    @property
    def is_usable(self) -> bool:
        """Whether Spark runs: its JVM is alive, and its context was not stopped."""
        return has_jvm_context(self.spark.sparkContext) and is_alive(self._gateway)

    def failure(self, error: BaseException) -> TableError | None:
        """Returns the error that reports the end of the JVM or of Spark, if that is why a call failed, else None."""
        lost = isinstance(error, (Py4JError, OSError, EOFError)) and not isinstance(error, Py4JJavaError)
        if not is_alive(self._gateway, 2.0 if lost else 0.0):
            return jvm_ended(self._gateway, restarts=self.is_ours)
        return self.stopped()

    def stopped(self) -> TableException | None:
        """Returns the error that reports that Spark was stopped in its JVM; None while it runs."""
        return None if has_jvm_context(self.spark.sparkContext) else session_stopped()

    def give_up(self) -> None:
        """Releases a session whose Spark no longer runs.

        Raises:
            TableError: the session is the user's, so only the user can create another.
        """
        alive = is_alive(self._gateway)
        with _LOCK:
            if not alive:
                stop_jvm(self._gateway)
            self.close()
        if not self.is_ours:
            if not alive:
                raise jvm_ended(self._gateway, restarts=False)
            raise session_stopped()

    def close(self) -> None:
        """Releases a session of our own; a user's session stays open."""
        if self._lease is not None:
            self._lease.release()
            self._lease = None


def session_stopped() -> TableException:
    """Returns the error for a session that the program has stopped."""
    return TableException("The Spark session of this environment was stopped.", hint="Create another, and a new environment with it.")


def foreign_frame(whose: str) -> TableException:
    """Returns the error for a DataFrame that the session of an environment cannot read."""
    return TableException(
        f"The DataFrame is {whose}, and the session of this environment cannot read it.",
        hint="Use DataFrames of the session that the environment was made with, or write the rows to files and read those.",
    )


class _OwnSpark:
    """A Spark that the planner started, shared by all its sessions. Spark and its JVM stop when the last of them is released."""

    running: _OwnSpark | None = None

    def __init__(self, context: SparkContext) -> None:
        self.context = context
        self._gateway = gateway_of(context)
        self._users = 0

    def lease(self) -> _OwnSpark:
        self._users += 1
        return self

    def release(self) -> None:
        with _LOCK:
            self._users -= 1
            if self._users == 0:
                if _OwnSpark.running is self:
                    _OwnSpark.running = None
                stop_jvm(self._gateway)


def open_session(configuration: ReadableConfig, existing: object | None = None) -> EngineSession:
    """Returns the user's session, or a new one of our own, on the running Spark or else on a new one.

    Raises:
        TableException: ``existing`` is not a session of this process, or Spark cannot be started.
    """
    if existing is not None:
        if not isinstance(existing, SparkSession) or not hasattr(existing, "sparkContext"):
            raise TableException(
                f"The planner 'spark' takes a pyspark.sql.SparkSession, but got {type(existing).__module__}.{type(existing).__name__}."
            )
        return EngineSession(existing, is_ours=False)
    with _LOCK:
        running = _running_context()
        own = _OwnSpark.running
        if running is not None and (own is None or running is not own.context):
            # A Spark that the program started: a session of our own in it leaves the options of other sessions unchanged.
            spark = SparkSession(running).newSession()
            _apply_sql_options(spark, configuration)
            return EngineSession(spark, is_ours=True)
        if own is None or running is None:
            own = _OwnSpark.running = _OwnSpark(_start(configuration, is_ours=True).sparkContext)
        spark = SparkSession(own.context).newSession()
        _apply_sql_options(spark, configuration)
        return EngineSession(spark, is_ours=True, lease=own.lease())


def _running_context() -> SparkContext | None:
    """Returns the Spark of this process, or None. One whose JVM has ended is cleaned up."""
    running = running_context()
    if running is not None and not is_alive(gateway_of(running)):
        stop_jvm(gateway_of(running))
        return None
    return running


def local_session(master: str = "local[*]", options: Mapping[str, str] | None = None) -> SparkSession:
    """Starts Spark in this process as the planner does, with little logging and the same Java, and returns its session.

    The caller owns the session, passes it to environments and stops it. If Spark runs already, a new session of it is returned.

    Args:
        master: The value of ``spark.master``.
        options: Options of Spark; they override the planner's defaults.
    """
    configuration = Configuration({"spark.master": master, **(options or {})})
    with _LOCK:
        running = _running_context()
        if running is None:
            return _start(configuration, is_ours=False)
        if _OwnSpark.running is not None and _OwnSpark.running.context is running:
            _OwnSpark.running.lease()  # never released: the caller owns the session
        spark = SparkSession(running).newSession()
        _apply_sql_options(spark, configuration)
        return spark


def _apply_sql_options(spark: SparkSession, configuration: ReadableConfig) -> None:
    for key, value in spark_options(configuration).items():
        if key.startswith("spark.sql.") and spark.conf.isModifiable(key):
            spark.conf.set(key, value)


def _start(configuration: ReadableConfig, *, is_ours: bool) -> SparkSession:
    """Starts Spark and returns a session of it. With ``is_ours``, the planner also stops its JVM."""
    _refuse_connect(configuration)
    if _SUBMITTED in os.environ:
        return _start_submitted(configuration)
    left = gateway_of_process()
    if left is not None and (launched_by_us(left) or not is_alive(left)):
        stop_jvm(left)  # a JVM whose Spark was stopped keeps its old options
    scratch = Path(tempfile.mkdtemp(prefix="table-spark-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    log = scratch / "driver.log"
    conf = SparkConf(loadDefaults=False).setAll(list(_start_options(configuration, scratch).items()))
    _load_quietly()
    gateway = None
    hidden = HiddenValues.of_options(dict(conf.getAll()))
    try:
        with hidden.in_errors(), start_environment(conf.get("spark.pyspark.python", sys.executable)), log.open("wb") as stderr:
            gateway = _launch(conf, stderr, scratch)
            with _handler_of_interrupts_kept():
                session = SparkSession(SparkContext(conf=conf, gateway=gateway))
            if is_ours and gateway is not None:
                note_launch(gateway)
            return session
    except BaseException as error:
        if gateway is not None:
            note_launch(gateway)
            stop_jvm(gateway)
        if isinstance(error, TableException) or not isinstance(error, Exception):
            raise
        raise TableException(hidden.in_text(f"Spark cannot be started: {_said(log) or error}")) from error


def _refuse_connect(configuration: ReadableConfig) -> None:
    """Rejects settings of Spark Connect, with which PySpark would wait for a server."""
    given = [name for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED") if name in os.environ]
    given += [key for key in spark_options(configuration) if key == "spark.remote"]
    if given:
        raise TableException(
            f"The planner 'spark' does not run on Spark Connect, which this process uses: {', '.join(given)} is set.",
            hint="Set spark.master instead, or pass a classic session: TableEnvironment.create(settings, external={'spark': session}).",
        )


def _said(log: Path) -> str:
    """Returns the last lines of Spark's log, which say why it did not start, without stack trace lines."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    said = [line.strip() for line in lines if line.strip() and not re.match(r"\s+(at|\.\.\.) ", line)]
    return "".join(f"\n  {line}" for line in said[-5:])


@contextmanager
def _handler_of_interrupts_kept() -> Iterator[None]:
    """Restores the handler of Ctrl-C that PySpark replaces: its own calls the JVM, which fails (*reentrant call*) during another call.

    Code that waits for a job cancels it.
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

    The warning is about PySpark's own use of pandas: its pandas API, toPandas and pandas functions. None of these is used here, because data is
    exchanged as Arrow. A program that uses pandas through PySpark itself is warned there.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with suppress(ImportError):
            import pyspark.testing.utils  # noqa: F401  # for its effect


def _start_submitted(configuration: ReadableConfig) -> SparkSession:
    """Starts Spark in the JVM of spark-submit, whose options count where the configuration gives no others: it knows the cluster."""
    _load_quietly()
    options = spark_options(configuration)
    hidden = HiddenValues.of_options(options)
    try:
        with hidden.in_errors(), _handler_of_interrupts_kept():
            return SparkSession.builder.config(map=dict(options)).getOrCreate()
    except Exception as error:
        raise TableException(hidden.in_text(f"Spark cannot be started: {error}")) from error


def _launch(conf: SparkConf, output: BinaryIO, scratch: Path) -> Any:
    if gateway_of_process() is not None:  # a JVM of the program, whose Spark was stopped
        return None
    with options_in_a_file(conf.getAll(), scratch):
        return launch_jvm(output)


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
        options["spark.sql.shuffle.partitions"] = str(min(8, max(2, available_processors())))
        options["spark.driver.memory"] = f"{_driver_memory_mb(configuration)}m"
        options["spark.driver.maxResultSize"] = "512m"
    java = given.pop("spark.driver.extraJavaOptions", "")
    options["spark.driver.extraJavaOptions"] = f"{_STACK} -Dlog4j2.configurationFile={_log_configuration(scratch)} {java}".strip()
    return {**options, **given}


def _driver_memory_mb(configuration: ReadableConfig) -> int:
    """Returns the heap size of a local Spark in MB. Python workers and this process need the rest of the memory budget."""
    return max(_LEAST_HEAP_MB, min(8192, memory_budget(configuration) // 3 // 1_048_576))


def _log_configuration(scratch: Path) -> str:
    # A copy, because the package may be inside an archive.
    with as_file(files("table_planner_spark") / "log4j2.properties") as source:
        target = scratch / "log4j2.properties"
        shutil.copy(source, target)
        return target.as_uri()
