"""One epoch of a job, from its plan to the commit of its sinks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from table_common.exceptions import TableInternalError
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.checkpoints.job_folder import UndecidedException
from table_runtime.streaming.checkpoints.manifest import Manifest, SinkMessages
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore
from table_runtime.streaming.job.sink_epochs import SinkEpochs


class EpochState(Enum):
    """How far an epoch is."""

    PLANNED = "planned"
    PREPARED = "prepared"
    DECIDED = "decided"
    COMMITTED = "committed"
    GIVEN_BACK = "given back"
    UNDECIDED = "perhaps decided"
    """The outcome of creating the manifest is unknown; the next attempt finds out."""


class Epoch:
    """One epoch, as the package's docstring walks it; with ``checkpoints`` None it has no manifest, and ends with the process.

    ``sinks`` commit and discard what they have prepared, wherever that was. Used by one thread at a time.
    """

    def __init__(self, number: int, sinks: Sequence[SinkEpochs], checkpoints: CheckpointStore | None = None) -> None:
        self.number = number
        self._sinks = sinks
        self._checkpoints = checkpoints
        self._checkpoint: Checkpoint | None = None
        self._messages: list[SinkMessages] = []
        self._manifest: Manifest | None = None
        self._state = EpochState.PLANNED

    @classmethod
    def next_of(cls, checkpoints: CheckpointStore, sinks: Sequence[SinkEpochs]) -> Epoch:
        """Returns the next epoch of an attempt with checkpoints."""
        epoch = cls(checkpoints.next_epoch, sinks, checkpoints)
        checkpoints.next_epoch += 1
        return epoch

    @property
    def state(self) -> EpochState:
        """How far the epoch is."""
        return self._state

    @property
    def may_be_decided(self) -> bool:
        """Whether the manifest exists, or may exist: then the next attempt commits what the sinks have prepared."""
        return self._state in (EpochState.DECIDED, EpochState.COMMITTED, EpochState.UNDECIDED)

    @property
    def manifest(self) -> Manifest:
        """The manifest, once it is decided.

        Raises:
            TableInternalError: the epoch has none.
        """
        if self._manifest is None or self._state not in (EpochState.DECIDED, EpochState.COMMITTED):
            raise TableInternalError(f"The epoch {self.number} has no manifest: it is {self._state.value}.")
        return self._manifest

    def prepare(self, messages: Iterable[SinkMessages], checkpoint: Checkpoint | None = None) -> None:
        """Takes what each sink has prepared to commit, and how far the job has come.

        ``messages`` may prepare a sink at each step; if one fails, ``give_back`` discards what the sinks before it have prepared.

        Raises:
            TableInternalError: the epoch is not planned, or has no checkpoint where it needs one.
        """
        self._require("prepared", EpochState.PLANNED)
        if (checkpoint is None) is not (self._checkpoints is None):
            raise TableInternalError(f"The epoch {self.number} needs a checkpoint if its job has them, and only then.")
        for prepared in messages:
            self._messages.append(prepared)
        if len(self._messages) != len(self._sinks):
            raise TableInternalError(f"The epoch {self.number} has {len(self._sinks)} sinks, and messages of {len(self._messages)}.")
        self._checkpoint = checkpoint
        self._state = EpochState.PREPARED
        reached("prepared", self.number)

    def decide(self) -> None:
        """Creates the manifest: from now on the epoch is to be committed, by this process or another one.

        Raises:
            LockLostException: another process has taken the job over.
            UndecidedException: it is not known whether the manifest exists.
            TableRuntimeException: it does not exist; the epoch can be given back.
            TableInternalError: the epoch is not prepared.
        """
        self._require("decided", EpochState.PREPARED)
        if self._checkpoints is not None and self._checkpoint is not None:
            self._manifest = self._checkpoints.manifest(self.number, self._checkpoint, self._messages)
            try:
                self._checkpoints.decide(self._manifest)
            except UndecidedException:
                self._state = EpochState.UNDECIDED
                raise
        self._state = EpochState.DECIDED
        reached("decided", self.number)

    def commit(self) -> None:
        """Commits each sink, and notes that this is done. If it fails, the next attempt commits the epoch again.

        Raises:
            TableError: a sink has failed, or the note cannot be written.
            TableInternalError: the epoch is not decided.
        """
        self._require("committed", EpochState.DECIDED)
        for number, (sink, prepared) in enumerate(zip(self._sinks, self._messages, strict=True)):
            sink.commit(self.number, prepared.messages)
            reached(f"committed sink {number}", self.number)
        reached("committed", self.number)
        if self._checkpoints is not None:
            self._checkpoints.folder.set_done(self.number)
            reached("done", self.number)
        self._state = EpochState.COMMITTED

    def complete(
        self, messages: Iterable[SinkMessages], checkpoint: Checkpoint | None = None, check: Callable[[], None] | None = None
    ) -> None:
        """Prepares, decides and commits the epoch; gives it back if that fails before it is decided. ``check`` is the last place where the cancellation of the job stops it.

        Raises:
            TableError: a step has failed, or ``check`` has raised it.
        """
        try:
            self.prepare(messages, checkpoint)
            if check is not None:
                check()
            self.decide()
        except BaseException:
            if self._state in (EpochState.PLANNED, EpochState.PREPARED):
                self.give_back()
            raise
        self.commit()

    def give_back(self) -> None:
        """Discards what the sinks have prepared; the number is that of the next epoch again.

        Raises:
            TableInternalError: the epoch is decided, or may be.
        """
        self._require("given back", EpochState.PLANNED, EpochState.PREPARED)
        self._state = EpochState.GIVEN_BACK
        for sink, prepared in zip(self._sinks, self._messages, strict=False):
            sink.discard(self.number, prepared.messages)
        if self._checkpoints is not None:
            self._checkpoints.next_epoch = self.number

    def _require(self, what: str, *states: EpochState) -> None:
        if self._state not in states:
            raise TableInternalError(f"The epoch {self.number} cannot be {what}: it is {self._state.value}.")
