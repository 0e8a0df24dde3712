"""The table that the changes of a running query make."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from types import TracebackType
from typing import Any, Self

from table_api.table_result.pandas_frame import data_frame
from table_common.catalog import ResolvedSchema
from table_common.connector import SupportsArrowArray
from table_common.data import ResultRow, Row
from table_common.exceptions import JobCancelledException
from table_common.restrictions import keeping_restrictions

_LONGEST_WAIT = 0.2
"""Seconds after which a waiting thread wakes up, so that Ctrl-C is noticed."""


class LiveTable:
    """The rows that remain after the changes so far, kept up to date on a thread while the query runs. Usable from any thread.

    Each batch of changes is applied as a whole: a table is that of a moment between two batches. Equal rows are kept as often as they are there.

    Example:
        >>> env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        >>> result = env.execute_sql("SELECT w, COUNT(*) AS n FROM (VALUES ('a'), ('b'), ('a')) AS t (w) GROUP BY w")
        >>> with result.live() as live:
        ...     _ = live.wait_for_end(10)
        ...     live.to_arrow().sort_by("w").to_pylist()
        [{'w': 'a', 'n': 2}, {'w': 'b', 'n': 1}]
    """

    def __init__(self, batches: Iterator[SupportsArrowArray], schema: ResolvedSchema, time_zone: tzinfo | None = None) -> None:
        """Internal; reads the batches until it is closed."""
        from table_common.arrow import RemainingRows, to_arrow_schema

        self._batches = batches
        self._schema = schema
        self._time_zone = time_zone
        self._rows = RemainingRows(to_arrow_schema(schema.to_row_type()))
        self._changed = threading.Condition()
        self._version = 0
        self._has_ended = False
        self._is_closed = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=keeping_restrictions(self._read), name="live-table", daemon=True)
        self._thread.start()

    @property
    def version(self) -> int:
        """The number of batches of changes that were applied."""
        return self._version

    @property
    def has_updates(self) -> bool:
        """Whether rows were deleted or replaced so far."""
        return self._rows.has_retractions

    @property
    def has_ended(self) -> bool:
        """Whether no more changes will come."""
        return self._has_ended

    def wait(self, version: int | None = None, timeout: float | None = None) -> bool:
        """Waits until the table has a version, by default the next one.

        Args:
            version: the version, or a later one.
            timeout: how many seconds to wait at most; None waits without a limit.

        Returns:
            Whether the table has the version; False also if the query ended before.

        Raises:
            TableError: the query failed.
        """
        wanted = self._version + 1 if version is None else version
        self._wait_until(lambda: self._version >= wanted, timeout)
        return self._version >= wanted

    def wait_for_end(self, timeout: float | None = None) -> bool:
        """Waits until the query has ended, at most ``timeout`` seconds; returns whether it has.

        Raises:
            TableError: the query failed.
        """
        self._wait_until(lambda: False, timeout)
        return self._has_ended

    def to_arrow(self) -> Any:
        """Returns the rows now as a ``pyarrow.Table``, in the canonical Arrow schema of the query.

        Raises:
            TableError: the query failed.
        """
        with self._changed:
            self._check()
            return self._rows.table()

    def rows(self, start: int = 0, stop: int | None = None, *, order_by: Sequence[str] = ()) -> list[Row]:
        """Returns the rows now from one position to another, as ``collect`` gives them.

        Args:
            start: the position of the first row.
            stop: the position after the last row; None is the end.
            order_by: columns that order the rows, ascending, NULL last; without columns a row that was replaced comes after the others.

        Raises:
            TableError: the query failed.
        """
        from table_common.arrow import to_python_rows

        rows = self.to_arrow()
        if order_by:
            rows = rows.sort_by([(name, "ascending") for name in order_by])
        part = rows.slice(start, None if stop is None else max(0, stop - start))
        names = self._schema.column_names
        values = to_python_rows(part.to_batches(), self._schema.to_row_type(), time_zone=self._time_zone)
        return list(ResultRow.of_rows(names, values))

    def to_pandas(self) -> Any:
        """Returns the rows now as a ``pandas.DataFrame``.

        Raises:
            TableException: pandas is not installed.
            TableError: the query failed.
        """
        return data_frame(self._schema, self.to_arrow)

    def _repr_html_(self) -> str:
        """Returns the first rows now, as notebooks show them."""
        from table_api.table_result.html import SHOWN_ROWS, Preview, html_of_preview

        count = len(self)
        note = f"{count} {'row' if count == 1 else 'rows'}{'' if self._has_ended else ' now; the query runs'}"
        if count > SHOWN_ROWS:
            note = f"The first {SHOWN_ROWS} of {note}"
        return html_of_preview(Preview(self._schema, self.rows(0, SHOWN_ROWS)), note)

    def close(self) -> None:
        """Cancels the query; the table stays as it is. A second call does nothing."""
        self._is_closed = True
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()
        if self._thread is not threading.current_thread():
            self._thread.join(5.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        """Returns the number of rows now."""
        return int(self.to_arrow().num_rows)

    def _read(self) -> None:
        from table_common.arrow import import_batch

        try:
            for exported in self._batches:
                with self._changed:
                    self._rows.add(import_batch(exported))
                    self._version += 1
                    self._changed.notify_all()
        except BaseException as error:
            if not (self._is_closed and isinstance(error, JobCancelledException)):
                self._failure = error
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()

    def _wait_until(self, holds: Any, timeout: float | None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while not holds() and not self._has_ended:
                left = _LONGEST_WAIT if deadline is None else min(_LONGEST_WAIT, deadline - time.monotonic())
                if left <= 0:
                    break
                self._changed.wait(left)
            self._check()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
