"""The checkpoint folder of one job: which epochs are decided, and which files may go."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterator
from urllib.parse import quote

from table_common.exceptions import TableException, TableRuntimeException
from table_common.gate import Gate
from table_runtime.streaming.checkpoints.checksums import read_json, require_format, to_json
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.job_lock import LockLostException
from table_runtime.streaming.checkpoints.manifest import Manifest

_LONGEST_NAME = 120
_EPOCHS, _COMMITTING, _DONE, _STATES = "epochs", "committing", "done", "states"
_NUMBER = re.compile(r"\d+")


def folder_name(job: str) -> str:
    """Returns the name of a job's folder below the checkpoint folder."""
    name = quote(job, safe=" ,()=+")[:_LONGEST_NAME] or "_"
    return name.replace(".", "%2E") if not name.strip(".") else name  # "." and ".." are other folders


class UndecidedException(TableRuntimeException):
    """Raised when the outcome of creating the manifest is unknown. Data that sinks have prepared must be kept; recovery decides."""


class JobFolder:
    """The files of a job. ``job_id`` is made with the folder and lasts as long as it: sinks know the epochs of the job by it."""

    def __init__(self, store: FileStore, job: str, job_id: str) -> None:
        self.store = store
        self.job = job
        self.job_id = job_id
        self._named: dict[int, frozenset[str]] = {}
        """The files that manifests name, of those that this object has made or read: manifests do not change."""

    @classmethod
    def open(cls, directory: str, job: str, engine: str) -> JobFolder:
        """Returns the folder of a job; creates it if there is none.

        Raises:
            TableException: it is the folder of another job, of another engine or of another format.
            TableRuntimeException: it cannot be written.
        """
        store = open_store(Gate.location_of_program(f"{directory.rstrip('/')}/{folder_name(job)}"))
        short = re.sub(r"[^A-Za-z0-9_.-]+", "-", job)[:40]
        content = {"job": job, "engine": engine, "id": f"{short}-{uuid.uuid4().hex[:12]}"}
        if (epochs := epochs_in(store)) and store.read("job.json") is None:
            raise TableRuntimeException(
                f"The checkpoint folder '{store.url}' has epochs up to {epochs[-1]} of the job '{job}', but the file 'job.json' is missing: it has the id by which sinks know the job's epochs.",
                hint="Restore the file. To start another job from the last epoch, move the folder, and set 'execution.state-recovery.path' to it.",
            )
        store.create("job.json", to_json(content))
        found = cls._described(store)
        if found["job"] != job or found["engine"] != engine:
            raise TableException(
                f"The checkpoint folder '{store.url}' is that of the job '{found['job']}' of the engine '{found['engine']}', and not of '{job}' of '{engine}'.",
                hint="Give this job another 'pipeline.name' or another 'execution.checkpointing.dir'.",
            )
        return cls(store, job, found["id"])

    @staticmethod
    def _described(store: FileStore) -> dict[str, str]:
        try:
            found = read_json(store.read("job.json") or b"")
            version = int(found["format"])
            result = {key: str(found[key]) for key in ("job", "engine", "id")}
        except (ValueError, KeyError, TypeError) as error:
            raise TableRuntimeException(
                f"The file '{store.url}/job.json' is damaged: {error}.", hint="Restore it, or set another 'execution.checkpointing.dir'."
            ) from error
        require_format(version, f"checkpoint folder '{store.url}'", store.url)
        return result

    def epochs(self) -> list[int]:
        """Returns the epochs that have a manifest, ascending."""
        return epochs_in(self.store)

    def manifest(self, epoch: int) -> Manifest:
        """Returns the manifest of an epoch.

        Raises:
            TableRuntimeException: it is missing or damaged.
        """
        return read_manifest(self.store, f"{_EPOCHS}/{epoch}.json")

    def manifests(self) -> Iterator[Manifest]:
        """Yields the manifests, oldest first, without those that a running job deletes meanwhile."""
        for epoch in self.epochs():
            content = self.store.read(f"{_EPOCHS}/{epoch}.json")
            if content is not None:
                yield Manifest.from_bytes(content, f"{self.store.url}/{_EPOCHS}/{epoch}.json")

    def latest(self) -> Manifest | None:
        """Returns the last manifest; None if there is none."""
        epochs = self.epochs()
        return self.manifest(epochs[-1]) if epochs else None

    def decide(self, manifest: Manifest) -> None:
        """Creates the manifest of an epoch: from now on it is to be committed, and its number is not used again.

        Raises:
            LockLostException: another process has decided this epoch.
            UndecidedException: the file system failed, and the manifest exists, or it is not known whether it does.
        """
        path, content = f"{_EPOCHS}/{manifest.epoch}.json", manifest.to_bytes()
        try:
            is_created = self.store.create(path, content)
        except TableRuntimeException as error:
            is_created = self._stands(path, content, error)
            if not is_created:
                raise
        if not is_created and not self._stands(path, content, None):  # a client that repeats requests finds its own file
            raise LockLostException(
                f"Another process has ended the epoch {manifest.epoch} of the job '{self.job}': this process stops, and writes nothing."
            )
        self._named[manifest.epoch] = frozenset(file.path for file in manifest.files())
        try:
            self.set_committing(manifest.epoch)
        except TableRuntimeException as error:  # the manifest exists
            raise UndecidedException(str(error)) from error

    def _stands(self, path: str, content: bytes, failure: Exception | None) -> bool:
        """Whether a manifest exists as this process wrote it."""
        try:
            return self.store.read(path) == content
        except TableRuntimeException as error:
            raise UndecidedException(str(failure or error)) from (failure or error)

    def next_epoch(self) -> int:
        """Returns the number after all epochs that may be committed, even if their manifests were removed: sinks ignore a number that they have committed."""
        numbers = (_NUMBER.match(name) for place in (_EPOCHS, _COMMITTING, _DONE) for name in self.store.names(place))
        return max((int(number[0]) + 1 for number in numbers if number is not None), default=0)

    def set_committing(self, epoch: int) -> None:
        """Notes that the number of an epoch is used. Called when its manifest exists, and before a sink can know the number."""
        self.store.create(f"{_COMMITTING}/{epoch}", b"")

    def is_done(self, epoch: int) -> bool:
        """Whether an epoch is known to be committed."""
        return is_done(self.store, epoch)

    def set_done(self, epoch: int) -> None:
        """Notes that an epoch is committed."""
        self.store.create(f"{_DONE}/{epoch}", b"")

    def state_path(self, operator: str, epoch: int, run: str, kind: str) -> str:
        """Returns the path of a file of state."""
        return f"{_STATES}/{quote(operator, safe='#-')}/{epoch}-{run}-{kind}.arrow"

    def retain(self, count: int, written: Collection[str]) -> set[str]:
        """Deletes all but the last ``count`` manifests, and of the files ``written`` those that no other manifest names; returns the others."""
        epochs = self.epochs()
        old, kept = epochs[:-count], epochs[-count:]
        if not old:
            return set(written)
        needed = self._files(kept)
        for epoch in old:
            self.store.delete(f"{_EPOCHS}/{epoch}.json")
            self.store.delete(f"{_DONE}/{epoch}")
            self.store.delete(f"{_COMMITTING}/{epoch}")
        for path in set(written) - needed:
            self.store.delete(path)
        return needed

    def sweep(self, run: str, epoch: int) -> None:
        """Deletes the files of state that attempts of tasks left: those of this run up to an epoch that is decided which no manifest names."""
        sweep_states(self.store, run, epoch, self._files(self.epochs()))

    def _files(self, epochs: Collection[int]) -> set[str]:
        """Returns the files that the manifests of some epochs name."""
        for epoch in epochs:
            if epoch not in self._named:
                self._named[epoch] = frozenset(file.path for file in self.manifest(epoch).files())
        self._named = {epoch: self._named[epoch] for epoch in epochs}
        return {path for named in self._named.values() for path in named}

    def clean(self) -> None:
        """Deletes files of state that no manifest names, those of runs that ended before the manifest was created, and notes of epochs that are gone. For the owner of the lock, before it writes."""
        first = min(self.epochs(), default=self.next_epoch() - 1)
        for place in (_COMMITTING, _DONE):
            for name in self.store.names(place):
                if name.isdigit() and int(name) < first:
                    self.store.delete(f"{place}/{name}")
        needed = {file.path for epoch in self.epochs() for file in self.manifest(epoch).files()}
        for operator in self.store.names(_STATES):
            for name in self.store.names(f"{_STATES}/{operator}"):
                path = f"{_STATES}/{operator}/{name}"
                if path not in needed:
                    self.store.delete(path)


def sweep_states(store: FileStore, run: str, epoch: int, named: Collection[str]) -> None:
    """Deletes the files of state of a run up to an epoch, but for those that are named. An attempt of a later epoch may still write its own."""
    for operator in store.names(_STATES):
        for name in store.names(f"{_STATES}/{operator}"):
            number, _, rest = name.partition("-")
            path = f"{_STATES}/{operator}/{name}"
            if number.isdigit() and int(number) <= epoch and rest.startswith(f"{run}-") and path not in named:
                store.delete(path)


def epochs_in(store: FileStore) -> list[int]:
    """Returns the epochs that have a manifest in a folder, ascending."""
    names = (name.removesuffix(".json") for name in store.names(_EPOCHS) if name.endswith(".json"))
    return sorted(int(name) for name in names if name.isdigit())


def is_done(store: FileStore, epoch: int) -> bool:
    """Whether an epoch is known to be committed, in the folder of a job."""
    return str(epoch) in store.names(_DONE)


def read_manifest(store: FileStore, path: str) -> Manifest:
    """Returns the manifest at a path.

    Raises:
        TableException: it has another format.
        TableRuntimeException: it is missing or damaged.
    """
    content = store.read(path)
    if content is None:
        raise TableRuntimeException(f"The checkpoint '{store.url}/{path}' does not exist.")
    return Manifest.from_bytes(content, f"{store.url}/{path}")
