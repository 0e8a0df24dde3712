"""The file systems on which checkpoints can be: a new file appears at once and completely, and never replaces another one."""

from __future__ import annotations

import errno
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from table_common.annotation import override
from table_common.durable_files import publish_new, sync_folder
from table_common.exceptions import TableException, TableRuntimeException
from table_common.gate import AllowedPath, AllowedUrl, Gate
from table_runtime.files.remote import has_folders, is_remote, remote_system

_FULL = (
    "Make room there. The job resumes after its last epoch when it is restarted or started again; nothing of the epoch that failed counts."
)
_RIGHTS = "The process needs the right to create files there; or set another 'execution.checkpointing.dir'."
_HINTS = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL, errno.EFBIG: _FULL, errno.EACCES: _RIGHTS, errno.EPERM: _RIGHTS, errno.EROFS: _RIGHTS}


class FileStore(ABC):
    """Files below a folder, by their path relative to it.

    Raises:
        TableRuntimeException: the file system failed; the message names the file.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    @abstractmethod
    def create(self, path: str, content: bytes) -> bool:
        """Creates a file durably and at once; returns False if it exists, which then stays as it is. No process ever sees a part of the file."""

    @abstractmethod
    def write(self, path: str, parts: Sequence[Any]) -> int:
        """Writes a file durably that nobody reads before it is named elsewhere; returns its size in bytes. ``parts`` are buffers."""

    @abstractmethod
    def replace(self, path: str, content: bytes) -> None:
        """Writes a file at once, also over an older one."""

    @abstractmethod
    def read(self, path: str) -> bytes | None:
        """Returns the content; None if there is no such file."""

    @abstractmethod
    def names(self, folder: str, *, with_hidden: bool = False) -> list[str]:
        """Returns the names of the files and folders in a folder, sorted; none if it does not exist. Those that begin with a dot are hidden."""

    @abstractmethod
    def delete(self, path: str) -> None:
        """Deletes a file, or a folder with all that it holds; nothing if there is none."""

    @abstractmethod
    def copy(self, path: str, target: FileStore, target_path: str) -> None:
        """Copies a file, or links it where that is possible; files of checkpoints do not change."""

    @contextmanager
    def errors(self, path: str) -> Iterator[None]:
        """Turns failures of the file system into errors that name the file."""
        try:
            yield
        except TableRuntimeException:
            raise
        except Exception as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            hint = _HINTS.get(error.errno or 0) if isinstance(error, OSError) else None
            raise TableRuntimeException(
                f"The checkpoint file '{self.url}/{path}' failed: {type(error).__name__}: {reason}.", hint=hint
            ) from error


def open_store(folder: AllowedPath | AllowedUrl, *, is_known: bool = False) -> FileStore:
    """Returns the files below a folder, given as a path or a URL that the gate has made. ``is_known``: another process has found that the file system is fit.

    Raises:
        TableException: the file system cannot create a file only if it is absent.
        ValidationException: the library for the URL is not installed.
    """
    if isinstance(folder, Path):
        return _LocalStore(folder)
    return _RemoteStore(folder, is_known=is_known) if is_remote(folder) else _LocalStore(Gate.of_program(Path(folder)))


class _LocalStore(FileStore):
    def __init__(self, root: AllowedPath) -> None:
        super().__init__(str(root))
        self.root = root

    @override
    def create(self, path: str, content: bytes) -> bool:
        target = self.root / path
        with self.errors(path):
            staged = self._staged(target, [content])
            try:
                publish_new(staged, target)
            except FileExistsError:
                return False
            finally:
                staged.unlink(missing_ok=True)
            sync_folder(target.parent)
            return True

    @override
    def write(self, path: str, parts: Sequence[Any]) -> int:
        target = self.root / path
        with self.errors(path):
            os.replace(self._staged(target, parts), target)
            sync_folder(target.parent)
            return target.stat().st_size

    @override
    def replace(self, path: str, content: bytes) -> None:
        target = self.root / path
        with self.errors(path):
            os.replace(self._staged(target, [content]), target)

    def _staged(self, target: Path, parts: Sequence[Any]) -> Path:
        """Returns a file with the content beside the target."""
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
        try:
            with staged.open("wb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                staged.unlink()
            raise
        return staged

    @override
    def read(self, path: str) -> bytes | None:
        with self.errors(path):
            try:
                return (self.root / path).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    @override
    def names(self, folder: str, *, with_hidden: bool = False) -> list[str]:
        with self.errors(folder):
            try:
                return sorted(name for name in os.listdir(self.root / folder) if with_hidden or not name.startswith("."))
            except FileNotFoundError:
                return []

    @override
    def delete(self, path: str) -> None:
        target = self.root / path
        with self.errors(path):
            if target.is_dir():
                import shutil  # seldom needed

                shutil.rmtree(target, ignore_errors=True)
            else:
                target.unlink(missing_ok=True)

    @override
    def copy(self, path: str, target: FileStore, target_path: str) -> None:
        if isinstance(target, _LocalStore):
            place = target.root / target_path
            with self.errors(path):
                place.parent.mkdir(parents=True, exist_ok=True)
                with suppress(AttributeError, OSError):  # no links there
                    os.link(self.root / path, place)
                    return
        content = self.read(path)
        if content is None:
            raise TableRuntimeException(f"The checkpoint file '{self.url}/{path}' does not exist.")
        target.write(target_path, [content])


def _system_of(url: AllowedUrl) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path in it.

    Raises:
        TableException: its library does not start, as without the client of HDFS.
    """
    try:
        return remote_system(url)
    except OSError as error:
        if error.errno is not None:
            raise
        problem = str(error)
    raise TableException(
        f"Checkpoints cannot be at '{url}': {problem}.", hint="Set 'execution.checkpointing.dir' to a folder that this program reaches."
    )


class _RemoteStore(FileStore):
    """Through fsspec: its file systems that create a file only if it is absent."""

    def __init__(self, url: AllowedUrl, *, is_known: bool) -> None:
        super().__init__(url)
        self._system, self._root = _system_of(url)
        self._root = self._root.rstrip("/")
        self._has_folders = has_folders(url)
        if not is_known:
            self._check()

    def _check(self) -> None:
        """Raises an error if the file system lets a second creation of a file succeed."""
        probe = f".probe-{uuid.uuid4().hex[:8]}"
        try:
            is_fit = self.create(probe, b"1") and not self.create(probe, b"2")
        except TableRuntimeException as error:
            if not isinstance(error.__cause__, (TypeError, NotImplementedError, ValueError)):
                raise
            is_fit = False
        finally:
            with suppress(TableRuntimeException):
                self.delete(probe)
        if not is_fit:
            raise TableException(
                f"Checkpoints cannot be at '{self.url}': its file system does not create a file only if it is absent, so two processes could continue with one "
                "job.",
                hint="A local folder, or an object store whose fsspec package has conditional writes, such as s3fs and gcsfs.",
            )

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"

    @override
    def create(self, path: str, content: bytes) -> bool:
        with self.errors(path):
            self._make_folder(path)
            try:
                self._system.pipe_file(self._path(path), content, mode="create")
            except FileExistsError:
                return False
            return True

    @override
    def write(self, path: str, parts: Sequence[Any]) -> int:
        content = b"".join(bytes(part) for part in parts)
        self.replace(path, content)
        return len(content)

    @override
    def replace(self, path: str, content: bytes) -> None:
        with self.errors(path):
            self._make_folder(path)
            self._system.pipe_file(self._path(path), content)

    def _make_folder(self, path: str) -> None:
        if not self._has_folders:  # an object store would make a bucket that does not exist
            return
        with suppress(FileExistsError):
            self._system.makedirs(self._path(path).rpartition("/")[0], exist_ok=True)

    @override
    def read(self, path: str) -> bytes | None:
        with self.errors(path):
            try:
                return bytes(self._system.cat_file(self._path(path)))
            except FileNotFoundError:
                return None

    @override
    def names(self, folder: str, *, with_hidden: bool = False) -> list[str]:
        with self.errors(folder):
            self._system.invalidate_cache()
            try:
                listed = self._system.ls(self._path(folder), detail=False)
            except FileNotFoundError:
                return []
            names = (name.rstrip("/").rpartition("/")[2] for name in listed)
            return sorted(name for name in names if with_hidden or not name.startswith("."))

    @override
    def delete(self, path: str) -> None:
        with self.errors(path), suppress(FileNotFoundError):
            self._system.rm(self._path(path), recursive=True)

    @override
    def copy(self, path: str, target: FileStore, target_path: str) -> None:
        content = self.read(path)
        if content is None:
            raise TableRuntimeException(f"The checkpoint file '{self.url}/{path}' does not exist.")
        target.write(target_path, [content])
