"""The steps of an epoch, in their order and out of it, and what a failure of each leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from table_common.connector import ArrowSinkProvider, CommitContext, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import TableInternalError, TableRuntimeException
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints import failure_points
from table_runtime.streaming.checkpoints.job_folder import JobFolder, UndecidedException
from table_runtime.streaming.checkpoints.job_lock import LockLostException
from table_runtime.streaming.checkpoints.manifest import SinkMessages
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore
from table_runtime.streaming.job.epoch import Epoch, EpochState
from table_runtime.streaming.job.sink_epochs import SinkEpochs

At = Callable[[Any], Checkpoint]
MESSAGES = [SinkMessages(2, ("m1",)), SinkMessages(0, ())]


class Log(ArrowSinkProvider, SinkCommitter):
    """Notes what is committed and discarded."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.epoch = -1

    def create_writer(self, context: WriterContext) -> SinkWriter:
        raise NotImplementedError

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        self.epoch = context.epoch
        return self

    def commit(self, messages: Sequence[Any]) -> None:
        self.log.append(f"commit {self.epoch} {list(messages)}")

    def abort(self, messages: Sequence[Any]) -> None:
        self.log.append(f"discard {self.epoch} {list(messages)}")


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def sinks(log: Log) -> list[SinkEpochs]:
    context = ExecutionContext()
    return [SinkEpochs(log, name, f"job-{name}", context) for name in ("a", "b")]


@pytest.fixture
def points() -> Iterator[list[str]]:
    """The points that epochs come to."""
    points: list[str] = []
    failure_points.listeners.append(lambda point, epoch: points.append(f"{epoch} {point}"))
    yield points
    failure_points.listeners.clear()


def test_the_walk_of_an_epoch(checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At, points: list[str]) -> None:
    folder = checkpoints.folder
    epoch = Epoch.next_of(checkpoints, sinks)
    assert (epoch.number, epoch.state, folder.epochs()) == (0, EpochState.PLANNED, [])
    epoch.prepare(MESSAGES, checkpoint(7))
    assert (epoch.state, folder.epochs(), log.log) == (EpochState.PREPARED, [], [])
    epoch.decide()
    assert (epoch.state, folder.epochs(), folder.is_done(0), log.log) == (EpochState.DECIDED, [0], False, [])
    epoch.commit()
    assert (epoch.state, folder.is_done(0), log.log) == (EpochState.COMMITTED, True, ["commit 0 ['m1']"])
    manifest = folder.manifest(0)
    assert epoch.manifest == manifest
    assert (manifest.sources, manifest.sinks) == ({"t#0": {"offset": 7}}, {"a#0": MESSAGES[0], "b#0": MESSAGES[1]})
    assert [point.partition(" ")[2] for point in points] == [
        "prepared",
        "decided",
        "committed sink 0",
        "committed sink 1",
        "committed",
        "done",
    ]
    assert Epoch.next_of(checkpoints, sinks).number == 1


STEPS: dict[str, Callable[[Epoch, Checkpoint], object]] = {
    "prepare": lambda epoch, at: epoch.prepare(MESSAGES, at),
    "decide": lambda epoch, _: epoch.decide(),
    "commit": lambda epoch, _: epoch.commit(),
    "give_back": lambda epoch, _: epoch.give_back(),
}
FOLLOWERS = {
    (): {"prepare", "give_back"},
    ("prepare",): {"decide", "give_back"},
    ("prepare", "decide"): {"commit"},
    ("prepare", "decide", "commit"): set[str](),
    ("give_back",): set[str](),
    ("prepare", "give_back"): set[str](),
}


@pytest.mark.parametrize(("before", "step"), [(before, step) for before in FOLLOWERS for step in STEPS])
def test_a_step_out_of_order_is_an_error(
    before: Sequence[str], step: str, checkpoints: CheckpointStore, sinks: list[SinkEpochs], checkpoint: At
) -> None:
    epoch = Epoch.next_of(checkpoints, sinks)
    for name in before:
        STEPS[name](epoch, checkpoint(1))
    if step in FOLLOWERS[tuple(before)]:
        STEPS[step](epoch, checkpoint(1))
        return
    state, stored = epoch.state, checkpoints.folder.epochs()
    with pytest.raises(TableInternalError, match=f"The epoch 0 cannot be .*: it is {state.value}"):
        STEPS[step](epoch, checkpoint(1))
    assert (epoch.state, checkpoints.folder.epochs()) == (state, stored)


def test_an_epoch_that_is_not_decided_has_no_manifest(checkpoints: CheckpointStore, sinks: list[SinkEpochs], checkpoint: At) -> None:
    epoch = Epoch.next_of(checkpoints, sinks)
    epoch.prepare(MESSAGES, checkpoint(1))
    with pytest.raises(TableInternalError, match="has no manifest: it is prepared"):
        _ = epoch.manifest


def test_an_epoch_needs_the_messages_of_each_sink(checkpoints: CheckpointStore, sinks: list[SinkEpochs], checkpoint: At) -> None:
    with pytest.raises(TableInternalError, match="has 2 sinks, and messages of 1"):
        Epoch.next_of(checkpoints, sinks).prepare(MESSAGES[:1], checkpoint(1))


@pytest.mark.parametrize("has_checkpoints", [True, False])
def test_a_checkpoint_belongs_to_a_job_that_has_them(
    has_checkpoints: bool, checkpoints: CheckpointStore, sinks: list[SinkEpochs], checkpoint: At
) -> None:
    epoch = Epoch(0, sinks, checkpoints if has_checkpoints else None)
    with pytest.raises(TableInternalError, match="needs a checkpoint if its job has them, and only then"):
        epoch.prepare(MESSAGES, None if has_checkpoints else checkpoint(1))


def test_an_epoch_that_is_given_back_leaves_nothing_and_its_number_is_used_again(
    checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At
) -> None:
    epoch = Epoch.next_of(checkpoints, sinks)
    epoch.prepare(MESSAGES, checkpoint(1))
    epoch.give_back()
    assert log.log == ["discard 0 ['m1']"]
    again = Epoch.next_of(checkpoints, sinks)
    again.complete(MESSAGES, checkpoint(2))
    assert (again.number, checkpoints.folder.epochs(), log.log[1:]) == (0, [0], ["commit 0 ['m1']"])


def test_a_sink_that_cannot_be_prepared_discards_those_before_it(
    checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At
) -> None:
    def prepared() -> Iterator[SinkMessages]:
        yield MESSAGES[0]
        raise TableRuntimeException("the second is away")

    epoch = Epoch.next_of(checkpoints, sinks)
    with pytest.raises(TableRuntimeException, match="the second is away"):
        epoch.complete(prepared(), checkpoint(1))
    assert (epoch.state, log.log, checkpoints.folder.epochs()) == (EpochState.GIVEN_BACK, ["discard 0 ['m1']"], [])


def test_cancellation_stops_an_epoch_before_it_is_decided(
    checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At
) -> None:
    def cancelled() -> None:
        raise TableRuntimeException("cancelled")

    with pytest.raises(TableRuntimeException, match="cancelled"):
        Epoch.next_of(checkpoints, sinks).complete(MESSAGES, checkpoint(1), cancelled)
    assert (log.log, checkpoints.folder.epochs()) == (["discard 0 ['m1']"], [])


def test_an_epoch_that_another_process_has_decided_is_discarded(
    checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At
) -> None:
    other = checkpoints.manifest(0, checkpoint(99), MESSAGES)
    checkpoints.folder.decide(other)
    epoch = Epoch.next_of(checkpoints, sinks)
    with pytest.raises(LockLostException, match="Another process has ended the epoch 0"):
        epoch.complete(MESSAGES, checkpoint(1))
    assert (epoch.state, log.log) == (EpochState.GIVEN_BACK, ["discard 0 ['m1']"])
    assert checkpoints.folder.manifest(0) == other


def test_what_was_prepared_stays_if_it_is_not_known_whether_the_epoch_is_decided(
    checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_answer(_: JobFolder, __: int) -> None:
        raise TableRuntimeException("no answer")

    monkeypatch.setattr(JobFolder, "set_committing", no_answer)  # the manifest stands
    epoch = Epoch.next_of(checkpoints, sinks)
    with pytest.raises(UndecidedException, match="no answer"):
        epoch.complete(MESSAGES, checkpoint(1))
    assert (epoch.state, log.log, checkpoints.folder.epochs()) == (EpochState.UNDECIDED, [], [0])
    for step in STEPS.values():
        with pytest.raises(TableInternalError, match="it is perhaps decided"):
            step(epoch, checkpoint(1))


@pytest.mark.parametrize("point", ["decided", "committed sink 0", "committed", "done"])
def test_an_epoch_that_fails_when_it_is_decided_is_not_discarded(
    point: str, checkpoints: CheckpointStore, sinks: list[SinkEpochs], log: Log, checkpoint: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(passed: str, _: int) -> None:
        if passed == point:
            raise ValueError("killed")

    monkeypatch.setattr(failure_points, "listeners", [fail])
    epoch = Epoch.next_of(checkpoints, sinks)
    with pytest.raises(ValueError, match="killed"):
        epoch.complete(MESSAGES, checkpoint(1))
    assert epoch.state is EpochState.DECIDED
    assert log.log == ([] if point == "decided" else ["commit 0 ['m1']"])
    assert (checkpoints.folder.epochs(), checkpoints.folder.is_done(0)) == ([0], point == "done")


def test_an_epoch_without_checkpoints_commits_and_leaves_no_files(sinks: list[SinkEpochs], log: Log) -> None:
    epoch = Epoch(3, sinks)
    epoch.complete(MESSAGES)
    assert (epoch.state, log.log) == (EpochState.COMMITTED, ["commit 3 ['m1']"])
