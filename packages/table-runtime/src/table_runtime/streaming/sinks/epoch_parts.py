"""What the commits of epochs to files agree on: the messages of tasks, and the names of folders."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from table_common.connector import CommitMessage, WriterContext
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass

EPOCHS = ".table-epochs"
"""The folder of the epochs of all jobs, in the folder of the table."""
COMMITTED = "committed.json"
"""The note of a job in its folder: the last epoch that is committed."""
KEPT_SECONDS = 7 * 86_400.0
"""How long the note of a job that writes no more is kept."""
_LONGEST_NAME = 100


def job_folder(job_id: str) -> str:
    """Returns the job's id as a part of the names of files: it may have any characters, and any length."""
    name = quote(job_id, safe=" ")
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:_LONGEST_NAME]}-{hashlib.sha256(job_id.encode()).hexdigest()[:12]}"


def attempt_folder(context: WriterContext) -> str:
    """Returns a new name for the folder of an attempt of a task, in the folder of its job; it begins with the epoch."""
    return f"{context.epoch}-{context.task}-{context.attempt}-{uuid.uuid4().hex[:8]}"


@dataclass(frozen=True, slots=True)
class EpochPart:
    """The message of a task: its files, by their names in the table, where they wait, the partitions with rows, and when and with which watermark it ended."""

    staging: str
    files: list[str]
    folders: list[str]
    time: int
    watermark: int | None


def parts_of(messages: Sequence[CommitMessage]) -> list[EpochPart]:
    """Returns the messages of an epoch.

    Raises:
        TableRuntimeException: one names files outside the table.
    """
    parts = [message for message in messages if isinstance(message, EpochPart)]
    for part in parts:
        for name in (part.staging, *part.files):
            if os.path.isabs(name) or ".." in Path(name).parts or (name == part.staging and len(Path(name).parts) != 1):
                raise TableRuntimeException(f"A commit message names '{name}', which is not in the folder of the table.")
    return parts
