"""The files in which messages wait for their commit."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from connector_kafka.cluster import Cluster
from table_common.connector import CommitContext
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import AllowedPath

MESSAGES = pa.schema(
    [
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("timestamp", pa.int64()),
        pa.field("headers", pa.map_(pa.string(), pa.binary())),
    ]
)
"""The columns of a file; the timestamp is in milliseconds."""
_KEPT_SECONDS = 7 * 24 * 3600
"""How long files of dead tasks are kept: longer than any engine retries a commit."""


@dataclass(frozen=True, slots=True)
class StagedMessages:
    """The commit message of a task: its file, None without rows; how many messages each partition gets, and where it ended before."""

    path: str | None
    counts: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StagingFolder:
    """The folder of the files of one topic's writers."""

    option: AllowedPath | None
    cluster: Cluster
    topic: str

    @property
    def path(self) -> Path:
        """The folder: the one that the table names, else one of the user in the folder of temporary files."""
        if self.option is not None:
            return self.option
        return Path(tempfile.gettempdir()) / f"table-kafka-{os.getuid() if hasattr(os, 'getuid') else 'user'}"

    def new_file(self, context: CommitContext) -> StagingFile:
        """Creates a file; its name says for which commit.

        Raises:
            TableRuntimeException: the folder cannot be written, or belongs to another user.
        """
        path = self.path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.option is None and hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
                raise PermissionError("it belongs to another user")
            return StagingFile(path / f"{self._mark(context)}-{uuid.uuid4().hex}.arrow")
        except OSError as error:
            raise TableRuntimeException(
                f"The folder '{path}' of rows that wait for their commit cannot be written: {error}.", hint="set 'sink.staging-directory'"
            ) from error

    def remove(self, context: CommitContext) -> None:
        """Removes the files of a commit, also those of runs that died before it, and files that are so old that nobody will commit them."""
        with suppress(OSError):
            mark = self._mark(context)
            for file in self.path.glob("*.arrow"):
                with suppress(OSError):
                    if file.name.startswith(f"{mark}-") or file.stat().st_mtime < time.time() - _KEPT_SECONDS:
                        file.unlink()

    def is_of(self, path: str, context: CommitContext) -> bool:
        """Whether a path is that of a file of a commit, by its name."""
        return Path(path).name.startswith(f"{self._mark(context)}-") and path.endswith(".arrow")

    def _mark(self, context: CommitContext) -> str:
        identity = "\0".join((context.job_id, str(context.epoch), self.cluster.servers, self.topic))
        return hashlib.sha256(identity.encode()).hexdigest()[:16]


class StagingFile:
    """A file that is being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(descriptor, "wb")
        self._writer = pa.ipc.new_stream(self._file, MESSAGES)

    def write(self, messages: pa.RecordBatch) -> None:
        """Adds messages."""
        self._writer.write_batch(messages)

    def close(self) -> None:
        """Makes the messages durable."""
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def remove(self) -> None:
        """Removes the file."""
        with suppress(Exception):
            self._file.close()
        self.path.unlink(missing_ok=True)


def staged_batches(staged: StagedMessages) -> Iterator[pa.RecordBatch]:
    """Yields the messages of a task.

    Raises:
        FileNotFoundError: the file is not there.
    """
    if staged.path is not None:
        with pa.OSFile(staged.path, "rb") as file, pa.ipc.open_stream(file) as reader:
            yield from reader
