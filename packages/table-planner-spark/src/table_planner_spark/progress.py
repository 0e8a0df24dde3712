"""Tells a listener how many tasks of a job are done, as Spark's status tracker counts them."""

from __future__ import annotations

import contextlib
import threading

from pyspark.sql import SparkSession

from table_api.delegation import ProgressListener
from table_planner_spark.session.adapters import adapter_of

_INTERVAL_SECONDS = 0.5


def watch_progress(spark: SparkSession, group: str, job: threading.Thread, listener: ProgressListener) -> None:
    """Calls the listener twice a second from a separate thread, until the job's thread ends."""
    threading.Thread(target=_watch, args=(spark, group, job, listener), name=f"{group}-progress", daemon=True).start()


def _watch(spark: SparkSession, group: str, job: threading.Thread, listener: ProgressListener) -> None:
    while True:
        job.join(_INTERVAL_SECONDS)
        if not job.is_alive():
            return
        # A listener or a tracker that fails must not end the job.
        with contextlib.suppress(Exception):
            done, total = adapter_of(spark).count_tasks(spark, group)
            listener(f"{done} of {total} tasks" if total else "planning", done / total if total else None)
