"""The files of a share: deltas until they have more keys than the base, and those of other numbers of shares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from table_common.gate import Gate
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.state_files import StateFile, read_states, write_state
from table_runtime.streaming.operators.keep_first_row import FirstRowState, KeepFirstRow
from table_runtime.streaming.shares.exchange import share_of_bucket
from table_runtime.streaming.shares.share_state import files_of_share, is_divided, read_share, write_share
from table_runtime.streaming.state.key_slots import buckets_of
from table_runtime.streaming.state.snapshots import BUCKETS

SCHEMA = pa.schema([("k", pa.int64())])
OPERATOR = KeepFirstRow(SCHEMA, [0])


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return open_store(Gate.location_of_program(str(tmp_path)))


def state_of(*snapshots: object) -> FirstRowState:
    state = OPERATOR.create_state(ExecutionContext(parallelism=1))
    if snapshots:
        state.restore(snapshots)  # type: ignore[arg-type]
    return state


def add(state: FirstRowState, *keys: int) -> None:
    OPERATOR.process(ChangeBatch(pa.record_batch([pa.array(keys, pa.int64())], schema=SCHEMA)), 0, state, lambda _: None)


def keys_of(state: FirstRowState) -> list[int]:
    return sorted(state.keys.keys(np.arange(state.keys.size))[0].to_pylist())


def test_changes_are_written_until_they_are_more_than_the_whole(store: FileStore) -> None:
    state, files = state_of(), ()
    kinds = []
    for number in range(5):
        add(state, *range(4 * number, 4 * number + 4))
        files = write_share(store, "states/a", str(number), state, files, 0, 1)
        kinds.append(["base" if file.is_base else "delta" for file in files])
    assert kinds == [["base"], ["delta", "base"], ["delta", "delta", "base"], ["base"], ["delta", "base"]]
    assert write_share(store, "states/a", "5", state, files, 0, 1) == files
    assert keys_of(state_of(*read_share(store, files, state_of(), 0, 1))) == list(range(20))


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (3, 64), (64, 5)])
def test_shares_take_their_keys_from_the_files_of_another_number_of_shares(before: int, after: int, store: FileStore) -> None:
    files: list[StateFile] = []
    whole = state_of()
    add(whole, *range(500))
    of_all = write_state(store, "states/a/all.arrow", whole.snapshot())
    for share in range(before):
        state = state_of(*read_share(store, [of_all], state_of(), share, before))
        files += write_share(store, "states/a", f"0-{share}", state, [of_all], share, before)
    assert is_divided(files, before)
    assert not is_divided(files, after)
    found = []
    for share in range(after):
        state = state_of(*read_share(store, files, state_of(), share, after))
        found += keys_of(state)
        new = write_share(store, "states/a", f"1-{share}", state, files, share, after)
        assert [(file.is_base, file.share, file.of) for file in new] == [(True, share, after)] * len(new)
    assert sorted(found) == list(range(500))
    assert len(files_of_share(files, 0, after)) <= -(-before // after) + 1


def test_the_embedded_engine_reads_the_files_of_all_shares(store: FileStore) -> None:
    files: list[StateFile] = []
    whole = state_of()
    add(whole, *range(500))
    of_all = write_state(store, "states/a/all.arrow", whole.snapshot())
    new = next(key for key in range(500, 999) if share_of_bucket(int(buckets_of([pa.array([key])], 1, BUCKETS)[0]), 3) == 1)
    for share in range(3):
        state = state_of(*read_share(store, [of_all], state_of(), share, 3))
        own = write_share(store, "states/a", f"0-{share}", state, [of_all], share, 3)
        if share == 1:
            add(state, keys_of(state)[0], new)
            own = write_share(store, "states/a", f"1-{share}", state, own, share, 3)
        files += own
    assert keys_of(state_of(*read_states(store, files))) == [*range(500), new]
