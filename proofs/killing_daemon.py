"""The daemon of Spark's Python workers, `spark.python.daemon.module`: a worker kills itself at the point of a share's task that the file $KILL_WORKER_AT names, which the first one takes away."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from pyspark import daemon

from table_runtime.streaming.checkpoints import failure_points

FILE = "KILL_WORKER_AT"


def kill(passed: str, epoch: int) -> None:
    """Ends this worker, if no other one did before, as the file says."""
    path = os.environ[FILE]
    with suppress(FileNotFoundError):
        with open(path, encoding="utf-8") as file:
            point = file.read()
        if point == passed:
            os.unlink(path)
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    failure_points.listeners.append(kill)
    daemon.manager()
