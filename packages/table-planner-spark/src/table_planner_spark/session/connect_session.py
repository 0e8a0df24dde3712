"""Sessions of Spark Connect: each set of options has a session of its own, because a DataFrame there is analyzed when it runs."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Hashable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from pyspark.sql import DataFrame

from table_api_bridge import is_spark_connect
from table_common.annotation import override
from table_common.exceptions import TableError, TableException
from table_planner_spark.session.engine_session import EngineSession, foreign_frame, session_stopped
from table_planner_spark.spark_internals import clone_connect_session

_NUMBERS = count(1)


class ConnectSession(EngineSession):
    """A clone of the program's session whose options never change.

    DataFrames pass between the program's session and the clones as global temporary views, which keep the analyzed plan: the meaning that a
    DataFrame has in its own session. The views stay until the environment is closed.
    """

    def __init__(self, spark: Any, root: ConnectSession | None = None) -> None:
        self.spark = spark
        self.is_ours = False
        self.translation = threading.RLock()
        self._root: ConnectSession = self if root is None else root
        self._guard = threading.RLock()
        self._clones: dict[frozenset[tuple[str, str]], EngineSession] = {}
        self._cloned_state: Hashable = None
        self._made: list[Any] = []
        """All clones, also those that statements no longer get."""
        self._views: dict[int, tuple[DataFrame, str]] = {}

    @override
    def _state(self) -> Hashable:
        """Returns the options of the program's session and the names of its temporary views and functions; one of them replaced is not noticed."""
        user: Any = self.spark
        options = user.conf.getAll
        database = options.get("spark.sql.globalTempDatabase", "global_temp")
        views = user.sql(f"SHOW VIEWS IN {database}").collect()  # names temporary views of the session too
        functions = user.sql("SHOW USER FUNCTIONS").collect()
        temporary = frozenset(row["viewName"] for row in views if not row["namespace"])
        return frozenset(options.items()), temporary, frozenset(row[0] for row in functions)

    @override
    def _with_options(self, options: Mapping[str, str]) -> EngineSession:
        spark: Any = clone_connect_session(self.spark)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of options that Spark deprecates; each has its default here
            for name, value in options.items():
                spark.conf.set(name, value)
        self._made.append(spark)
        return ConnectSession(spark, self)

    @override
    def adopt(self, frame: DataFrame) -> DataFrame:
        return self._through_view(frame, self.spark)

    @override
    def hand_over(self, frame: DataFrame) -> DataFrame:
        return self._through_view(frame, self._root.spark)

    def _through_view(self, frame: DataFrame, target: Any) -> DataFrame:
        if frame.sparkSession is target:
            return frame
        if not is_spark_connect(frame.sparkSession):
            raise foreign_frame("of a Spark in this process")
        root = self._root
        with root._guard:
            database = target.conf.get("spark.sql.globalTempDatabase", "global_temp")
            known = root._views.get(id(frame))
            if known is None:
                name = f"__table_{target.session_id.replace('-', '')}_{next(_NUMBERS)}"
                # A view has no two columns of one name.
                frame.toDF(*[f"c{number}" for number in range(len(frame.columns))]).createGlobalTempView(name)
                if not target.catalog.tableExists(f"{database}.{name}"):
                    frame.sparkSession.catalog.dropGlobalTempView(name)
                    raise foreign_frame("of another server of Spark Connect")
                known = root._views[id(frame)] = frame, name
            found: DataFrame = target.table(f"{database}.{known[1]}").toDF(*frame.columns)
            return found

    @property
    @override
    def is_usable(self) -> bool:
        return not self._root.spark.is_stopped  # type: ignore[attr-defined]  # Connect's

    @override
    def failure(self, error: BaseException) -> TableError | None:
        return None

    @override
    def stopped(self) -> TableException | None:
        return None if self.is_usable else session_stopped()

    @override
    def give_up(self) -> None:
        raise session_stopped()

    @override
    def close(self) -> None:
        root = self._root
        with root._guard, suppress(Exception):
            for _, name in root._views.values():
                root.spark.catalog.dropGlobalTempView(name)
            for clone in root._made:
                clone.stop()
        root._views.clear()
        root._clones.clear()
        root._made.clear()
