"""Publishing the files of a job: written to a hidden folder beside the target, moved into place when all are complete.

Every engine writes to ``staging_path(target, job_id)``, laid out as the target shall be (partition folders, then part files), and then
calls ``publish_staged_files`` or ``discard_staging``. Moves stay within one file system, so each is atomic; readers skip names that begin
with ``.`` or ``_``. Local file systems only.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

__all__ = ["discard_staging", "is_hidden", "partition_folder", "publish_staged_files", "staging_path", "visible_files"]

_STAGING_PREFIX = ".staging-"
_SAFE_IN_PARTITION = " !$&(),-.;@_~"
"""Characters of a partition value that stay as they are in a folder's name; the rest is written as %XX (UTF-8), as Hive does."""


def staging_path(target: Path, job_id: str) -> Path:
    """Returns the hidden folder in which a job builds its part of ``target``; the same file system, invisible to readers."""
    return target / f"{_STAGING_PREFIX}{job_id}"


def is_hidden(name: str) -> bool:
    """Returns whether readers skip a file or folder of this name."""
    return name.startswith((".", "_"))


def partition_folder(partition: Mapping[str, str]) -> str:
    """Returns the relative folder of a partition, ``key=value/…``; values are escaped."""
    return "/".join(f"{quote(key, safe=_SAFE_IN_PARTITION)}={quote(value, safe=_SAFE_IN_PARTITION)}" for key, value in partition.items())


def visible_files(folder: Path) -> Iterator[Path]:
    """Yields the files under a folder that readers see, as relative paths, sorted."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_hidden(name))
        for name in sorted(names):
            if not is_hidden(name):
                yield Path(parent, name).relative_to(folder)


def publish_staged_files(
    staging: Path,
    target: Path,
    *,
    overwrite: bool = False,
    partition_keys: Sequence[str] = (),
    static_partition: Mapping[str, str] | None = None,
) -> list[Path]:
    """Moves the staged files into ``target`` and removes ``staging``; returns their paths relative to ``target``.

    With ``overwrite`` what was there is removed: everything in an unpartitioned table; in a partitioned one every partition that gets
    files, and the whole of ``static_partition`` (its values as text) even if it gets none. If a move fails, all are undone.

    Raises:
        OSError: a file could not be moved; the target is as it was before.
    """
    files = list(visible_files(staging))
    replaced = _replaced(files, target, partition_keys, static_partition or {}) if overwrite else []
    removed = staging / ".replaced"
    moves = [(target / path, removed / path) for path in replaced] + [(staging / path, target / path) for path in files]
    done: list[tuple[Path, Path]] = []
    try:
        for source, destination in moves:
            destination.parent.mkdir(parents=True, exist_ok=True)
            source.rename(destination)
            done.append((source, destination))
    except OSError:
        for source, destination in reversed(done):
            with contextlib.suppress(OSError):
                source.parent.mkdir(parents=True, exist_ok=True)
                destination.rename(source)
        raise
    _remove_empty_folders(target, {path.parent for path in replaced} - {path.parent for path in files})
    shutil.rmtree(staging, ignore_errors=True)
    return files


def discard_staging(staging: Path, *, created_target: bool = False) -> None:
    """Removes what a failed job has written; ``created_target``: the target folder too, if the job made it and it is empty."""
    shutil.rmtree(staging, ignore_errors=True)
    if created_target:
        with contextlib.suppress(OSError):
            staging.parent.rmdir()


def _replaced(files: Sequence[Path], target: Path, keys: Sequence[str], static_partition: Mapping[str, str]) -> list[Path]:
    existing = list(visible_files(target))
    if not keys:
        return existing
    touched = {_partition(path) for path in files}
    static = tuple((key, static_partition[key]) for key in keys if key in static_partition)
    return [path for path in existing if (partition := _partition(path)) in touched or (static and set(static) <= set(partition))]


def _partition(path: Path) -> tuple[tuple[str, str], ...]:
    pairs = (name.partition("=") for name in path.parts[:-1])
    return tuple((unquote(key), unquote(value)) for key, _, value in pairs)


def _remove_empty_folders(target: Path, folders: set[Path]) -> None:
    for folder in folders:
        path = target / folder
        while path != target:
            try:
                path.rmdir()
            except OSError:
                break
            path = path.parent
