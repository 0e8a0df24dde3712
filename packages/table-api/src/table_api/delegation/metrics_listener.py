"""Gives the metrics of a running job to a function of the program, such as one that sends them to a monitoring system."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from table_common.exceptions import ValidationException

MetricsListener = Callable[[str, Mapping[str, int | float]], None]
"""Gets the id of a job and its metrics so far, by ``<operator>.<metric>``."""


class _Client(Protocol):
    """The client of a job."""

    @property
    def job_id(self) -> str: ...
    @property
    def job_state(self) -> Any: ...
    def get_metrics(self) -> Mapping[str, int | float]: ...


def call_with_metrics(client: _Client, listener: MetricsListener, interval: float) -> threading.Thread:
    """Calls the listener every ``interval`` seconds, and once more when the job has ended; returns the thread that does so.

    Raises:
        ValidationException: the interval is not positive.
        TableException: the engine reports no metrics.
    """
    if interval <= 0:
        raise ValidationException(f"The interval of a metrics listener must be positive, but is {interval:g} s.")
    client.get_metrics()
    thread = threading.Thread(target=_run, args=(client, listener, interval), name=f"table-metrics-{client.job_id}", daemon=True)
    thread.start()
    return thread


def _run(client: _Client, listener: MetricsListener, interval: float) -> None:
    try:
        while not client.job_state.status.is_terminal_state():
            client.job_state.wait(interval)
            listener(client.job_id, client.get_metrics())
    except Exception:
        import logging  # few listeners fail

        logging.getLogger("table.job").exception("A metrics listener of job %s failed and is not called any more.", client.job_id)
