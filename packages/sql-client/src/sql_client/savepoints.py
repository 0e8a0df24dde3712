"""Unbounded jobs, which stop with savepoints when Ctrl-C or SIGTERM ends the client."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence

from table_api import TableResult
from table_common.exceptions import TableError

_POLL = 0.1
"""Seconds between two looks at a job."""


def wait_without_ending(result: TableResult) -> None:
    """Waits for the end of a job. Ctrl-C leaves it running, while it ends a job whose result is awaited."""
    client = result.get_job_client()
    while client is not None and not client.get_job_status().is_terminal_state():
        time.sleep(_POLL)


def stop_with_savepoints(results: Sequence[TableResult], folder: str) -> None:
    """Stops jobs, each with a savepoint below the folder; writes to standard error where it is, or why there is none."""
    threads = [threading.Thread(target=_stop, args=(result, folder), daemon=True) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _stop(result: TableResult, folder: str) -> None:
    client = result.get_job_client()
    if client is None or client.get_job_status().is_terminal_state():
        return
    try:
        path = client.stop_with_savepoint(savepoint_directory=folder)
        print(f"Job {client.job_id} stopped. Its savepoint is '{path}'.", file=sys.stderr, flush=True)
    except TableError as error:
        print(f"Job {client.job_id} has no savepoint: {error}", file=sys.stderr, flush=True)
