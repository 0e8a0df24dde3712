"""Files of state: the snapshot of one operator, as one Arrow IPC stream per table with a record batch per bucket of keys."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.checkpoints.file_store import FileStore
from table_runtime.streaming.state.snapshots import KEYS, Snapshot

_TABLE, _BUCKETS = b"table", b"buckets"
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd" if pa.Codec.is_available("zstd") else None)


@dataclass(frozen=True, slots=True)
class StateFile:
    """A file that a manifest names. ``is_base``: it has all keys; otherwise those that changed since the file before.

    A file with a ``share`` has only the keys in the buckets of this share, one of ``of`` shares; a file without one has those of all buckets.
    """

    path: str
    is_base: bool
    rows: int
    bytes: int
    crc: int
    share: int | None = None
    of: int | None = None

    def to_json(self) -> Mapping[str, Any]:
        """Returns the entry of a manifest."""
        kind = "base" if self.is_base else "delta"
        share = {} if self.share is None else {"share": self.share, "of": self.of}
        return {"path": self.path, "kind": kind, "rows": self.rows, "bytes": self.bytes, "crc": self.crc, **share}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> StateFile:
        """Returns the file of an entry."""
        of_share = (entry["share"], entry["of"]) if "share" in entry else (None, None)
        return cls(entry["path"], entry["kind"] == "base", entry["rows"], entry["bytes"], entry["crc"], *of_share)


def write_state(store: FileStore, path: str, snapshot: Snapshot, share: tuple[int, int] | None = None) -> StateFile:
    """Writes a snapshot that has buckets; returns the file, whose rows are its keys. ``share`` is the one whose state it is, and of how many."""
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
    return StateFile(path, snapshot.is_whole, rows, store.write(path, [content]), zlib.crc32(content), *(share or (None, None)))


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


def read_states(store: FileStore, files: Sequence[StateFile]) -> Iterator[Snapshot]:
    """Yields the state in the files of one operator, as ``KeyedState.restore`` takes it: the newest snapshot first, those of all shares together.

    ``files`` are in the order of a manifest: those of each share from the newest one to its base.

    Raises:
        TableRuntimeException: a file is missing or damaged.
    """
    chains: dict[int | None, list[StateFile]] = {}
    for file in files:
        chain = chains.setdefault(file.share, [])
        if not chain or not chain[-1].is_base:
            chain.append(file)
    longest = max(map(len, chains.values()), default=0)
    for number, row in enumerate(zip_longest(*chains.values())):
        parts = [read_state(store, file) for file in row if file is not None]
        buckets = {bucket: tables for part in parts for bucket, tables in part.buckets.items()}
        # What is in the base of one share may be beside a delta of another one: they have no key in common.
        yield Snapshot(buckets, is_whole=number == longest - 1 and all(part.is_whole for part in parts))
