"""What an epoch read, wrote and took: a line of JSON in the log ``table.epoch``, with the names of Spark's ``StreamingQueryProgress``, and metrics of the job."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.operators.operator_metrics import Loss
from table_runtime.streaming.shares.shared_job import SharedJobState

LOG = logging.getLogger("table.epoch")
_TOTAL = "triggerExecution"


class EpochProgress:
    """Measures the epochs of one attempt. An epoch has phases, in the order in which Spark's reports have them.

    ``latestOffset``: the sources were asked what there is. ``queryPlanning``: the tasks were made. ``addBatch``: the Spark job ran. ``commitOffsets``: the
    epoch was decided, and the sinks have committed.
    """

    def __init__(self, job_id: str, run: str, name: str, sources: Sequence[str], operators: Sequence[str], sinks: Sequence[str]) -> None:
        """``sources``, ``operators`` and ``sinks`` describe those of the job, in its order."""
        self._head = {"id": job_id, "runId": run, "name": name}
        self._sources = sources
        self._operators = operators
        self._sinks = sinks
        self._began = self._previous = time.monotonic()
        self._milliseconds: dict[str, int] = {}
        self._start = ""
        self._last: dict[str, int | float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measures a phase; the first one begins the epoch."""
        began = time.monotonic()
        if not self._milliseconds:
            self._began = began
            self._start = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            yield
        finally:
            self._milliseconds[name] = self._milliseconds.get(name, 0) + _milliseconds(began)

    def skip(self) -> None:
        """Forgets what was measured: there was nothing to do."""
        self._milliseconds = {}

    def finish(
        self,
        number: int,
        read: Sequence[int],
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
        written: Sequence[int],
        state: SharedJobState,
    ) -> None:
        """Reports an epoch that is complete.

        Args:
            number: of the epoch.
            read: the rows of each source.
            offsets: where each source began and ended.
            written: the rows of each sink.
            state: that after the epoch.
        """
        rows, total = sum(read), _milliseconds(self._began)
        durations = {**self._milliseconds, _TOTAL: total}
        since = max(self._began - self._previous, 1e-3)
        self._previous, self._milliseconds = self._began, {}
        rates = {"inputRowsPerSecond": round(rows / since, 1), "processedRowsPerSecond": round(1000 * rows / max(total, 1), 1)}
        self._last = {
            "batchId": number,
            "numInputRows": rows,
            **rates,
            "numOutputRows": sum(written),
            **{f"durationMs.{name}": value for name, value in durations.items()},
        }
        if not LOG.isEnabledFor(logging.INFO):
            return
        report = {
            **self._head,
            "timestamp": self._start,
            "batchId": number,
            "batchDuration": total,
            "numInputRows": rows,
            **rates,
            "durationMs": durations,
            "eventTime": _event_time(state),
            "stateOperators": [
                {
                    "operatorName": self._operators[node],
                    "numRowsStored": sum(file.rows for file in files),
                    "storedBytes": sum(file.bytes for file in files),
                }
                for node, files in sorted(state.files.items())
            ],
            "sources": [
                {"description": description, "startOffset": start, "endOffset": end, "numInputRows": count}
                for description, (start, end), count in zip(self._sources, offsets, read, strict=True)
            ],
            "sinks": [
                {"description": description, "numOutputRows": count} for description, count in zip(self._sinks, written, strict=True)
            ],
        }
        LOG.info("%s", json.dumps(report, default=str))

    def values(self) -> Iterator[tuple[str, int | float]]:
        """Yields name and value of each metric of the last epoch."""
        yield from self._last.items()

    def losses(self) -> Sequence[tuple[Loss, int]]:
        """Returns nothing: no rows are lost."""
        return ()


def _milliseconds(began: float) -> int:
    return round(1000 * (time.monotonic() - began))


def _event_time(state: SharedJobState) -> Mapping[str, str]:
    """Returns the least watermark of the operators; nothing if there is no event time."""
    known = [watermark for watermarks in state.watermarks.values() for watermark in watermarks if watermark > NO_WATERMARK]
    if not known:
        return {}
    try:
        return {"watermark": (datetime(1970, 1, 1) + timedelta(milliseconds=min(known))).isoformat(timespec="milliseconds") + "Z"}
    except OverflowError:  # the sources have ended
        return {}
