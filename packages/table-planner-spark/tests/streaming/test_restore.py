"""Where a job on Spark begins after a checkpoint."""

from __future__ import annotations

from typing import Any


def test_the_next_start_goes_on_behind_the_last_epoch(watched: Any) -> None:
    watched.add((1, 1), (2, 1))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1"])
    client.end()
    client.get_job_execution_result().result()
    watched.env.get_config().set("table.exec.spark.state-shares", "3")
    watched.add((1, 2))
    client = watched.start()
    watched.await_written(client, ["INSERT,1,1", "INSERT,2,1", "UPDATE_AFTER,1,2", "UPDATE_BEFORE,1,1"])
    client.end()
