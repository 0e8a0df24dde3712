"""Files of state: the snapshot of one operator, as one Arrow IPC stream per table with a record batch per bucket of keys."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.checkpoints.file_store import FileStore
from table_runtime.streaming.state.snapshots import KEYS, Snapshot

__all__ = ["StateFile", "read_state", "write_state"]

_TABLE, _BUCKETS = b"table", b"buckets"
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd" if pa.Codec.is_available("zstd") else None)


@dataclass(frozen=True, slots=True)
class StateFile:
    """A file that a manifest names. ``is_base``: it has all keys; otherwise those that changed since the file before."""

    path: str
    is_base: bool
    rows: int
    bytes: int
    crc: int

    def to_json(self) -> Mapping[str, Any]:
        """Returns the entry of a manifest."""
        return {"path": self.path, "kind": "base" if self.is_base else "delta", "rows": self.rows, "bytes": self.bytes, "crc": self.crc}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> StateFile:
        """Returns the file of an entry."""
        return cls(entry["path"], entry["kind"] == "base", entry["rows"], entry["bytes"], entry["crc"])


def write_state(store: FileStore, path: str, snapshot: Snapshot) -> StateFile:
    """Writes a snapshot that has buckets; returns the file, whose rows are its keys."""
    sink = pa.BufferOutputStream()
    buckets = list(snapshot.buckets)
    first = snapshot.buckets[buckets[0]]
    for name, batch in first.items():
        schema = batch.schema.with_metadata({_TABLE: name.encode(), _BUCKETS: json.dumps(buckets).encode()})
        with pa.ipc.new_stream(sink, schema, options=_OPTIONS) as writer:
            for bucket in buckets:
                writer.write_batch(snapshot.buckets[bucket][name].replace_schema_metadata(schema.metadata))
    content = sink.getvalue()
    rows = sum(tables[KEYS].num_rows for tables in snapshot.buckets.values())
    return StateFile(path, snapshot.is_whole, rows, store.write(path, [content]), zlib.crc32(content))


def read_state(store: FileStore, file: StateFile) -> Snapshot:
    """Returns the snapshot in a file.

    Raises:
        TableRuntimeException: the file is missing or damaged.
    """
    content = store.read(file.path)
    problem = "does not exist" if content is None else "is damaged" if zlib.crc32(content) != file.crc else ""
    if content is None or problem:
        raise TableRuntimeException(
            f"The checkpoint file '{store.url}/{file.path}' {problem}.",
            hint="Restore the file, or resume from the manifest before: rename the newest file in the folder 'epochs' to '<n>.json.damaged'; rows that were "
            "committed since are written again.",
        )
    source = pa.BufferReader(content)
    result: dict[int, dict[str, pa.RecordBatch]] = {}
    while source.tell() < len(content):
        reader = pa.ipc.open_stream(source)
        name = reader.schema.metadata[_TABLE].decode()
        for bucket, batch in zip(json.loads(reader.schema.metadata[_BUCKETS]), reader, strict=True):
            result.setdefault(bucket, {})[name] = batch.replace_schema_metadata(None)
        for _ in reader:  # comes to the end of the stream
            pass
    return Snapshot(result, file.is_base)
