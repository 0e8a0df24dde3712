"""The jobs in a checkpoint folder, as SHOW JOBS lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from table_common.gate import Gate
from table_runtime.streaming.checkpoints.checksums import read_json
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.job_folder import epochs_in
from table_runtime.streaming.checkpoints.job_lock import describe_owner, owner_of


def stored_jobs(directory: str) -> Iterator[Mapping[str, Any]]:
    """Yields for each job: name, id, whether a process runs it, since when (milliseconds since 1970), the last epoch, its manifest's path, and a sentence about its owner."""
    root = open_store(Gate.location_of_program(directory))
    for name in root.names("", with_hidden=True):  # a job may be named ".x"
        store = open_store(Gate.location_of_program(f"{directory.rstrip('/')}/{name}"))
        described = _described(store)
        if described is None:
            continue
        epochs = epochs_in(store)
        owner = owner_of(store)
        is_running = owner is not None and owner[1]
        yield {
            "name": described["job"],
            "id": described["id"],
            "is_running": is_running,
            "since": owner[0].get("since") if owner is not None else None,
            "epoch": epochs[-1] if epochs else None,
            "path": f"{store.url}/epochs/{epochs[-1]}.json" if epochs else None,
            "owner": f"it is run by {describe_owner(owner[0])}" if owner is not None and is_running else "no process runs it",
        }


def _described(store: FileStore) -> Mapping[str, Any] | None:
    try:
        described = read_json(store.read("job.json") or b"")
    except ValueError:
        return None
    return described if {"job", "id"} <= described.keys() else None
