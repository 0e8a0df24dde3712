"""Maps of the state of a share: used once, only for the token that is asked for, and left out where anything is in the way."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.operators.keep_first_row import FirstRowState, KeepFirstRow
from table_runtime.streaming.shares import mapped_state
from table_runtime.streaming.shares.mapped_state import MapFolder, MappedState
from table_runtime.streaming.time.clock import RunClock

SCHEMA = pa.schema([("k", pa.int64())])
NODES = [Node(KeepFirstRow(SCHEMA, [0]), 1)]
CLOCK = RunClock()


@pytest.fixture
def folder(tmp_path: Path) -> MapFolder:
    return MapFolder(str(tmp_path / "maps"), 1 << 30)


def state_with(*keys: int, state: FirstRowState | None = None) -> FirstRowState:
    state = NODES[0].operator.create_state(ExecutionContext(parallelism=1)) if state is None else state
    NODES[0].operator.process(ChangeBatch(pa.record_batch([pa.array(keys, pa.int64())], schema=SCHEMA)), 0, state, lambda _: None)
    return state


def opened(folder: MapFolder, name: str = "1-0") -> MappedState:
    mapped = MappedState.open(folder, name)
    assert mapped is not None
    return mapped


def save(folder: MapFolder, token: str, state: FirstRowState, name: str = "1-0") -> bool:
    mapped = opened(folder, name)
    saved = mapped.save(token, [state], NODES, CLOCK)
    mapped.close()
    return saved


def load(folder: MapFolder, token: str, name: str = "1-0") -> int | None:
    """Returns the number of keys that are found."""
    mapped = opened(folder, name)
    states = mapped.load(token, NODES, CLOCK)
    mapped.close()
    return None if states is None else states[0].keys.size  # type: ignore[union-attr]


def test_a_map_is_found_once_by_its_token(folder: MapFolder) -> None:
    assert load(folder, "0-a-s0-1") is None
    assert save(folder, "0-a-s0-1", state_with(1, 2, 3))
    assert load(folder, "0-a-s0-1") == 3
    assert load(folder, "0-a-s0-1") is None, "the task that took it may have failed in the middle of a change"


def test_a_map_with_another_token_is_not_used_any_more(folder: MapFolder) -> None:
    save(folder, "0-a-s0-1", state_with(1))
    assert load(folder, "0-a-s0-2") is None
    assert load(folder, "0-a-s0-1") is None


def test_arrays_that_are_in_the_map_stay_there(folder: MapFolder, tmp_path: Path) -> None:
    save(folder, "0", state_with(*range(100_000)))
    path = tmp_path / "maps" / "1-0.map"
    size, inode = path.stat().st_size, path.stat().st_ino
    for token in range(3):
        mapped = opened(folder)
        states = mapped.load(str(token), NODES, CLOCK)
        assert states is not None
        (state,) = states
        assert isinstance(state, FirstRowState)
        state_with(5, 7, state=state)
        assert mapped.save(str(token + 1), [state], NODES, CLOCK)
        mapped.close()
    assert path.stat().st_ino == inode
    assert path.stat().st_size == size
    assert load(folder, "3") == 100_000


def test_a_file_with_much_that_is_no_longer_used_is_written_anew(folder: MapFolder, tmp_path: Path) -> None:
    save(folder, "0", state_with(*range(300_000)))
    mapped = opened(folder)
    assert mapped.load("0", NODES, CLOCK) is not None
    size = (tmp_path / "maps" / "1-0.map").stat().st_size
    assert mapped.save("1", [state_with(1)], NODES, CLOCK)
    mapped.close()
    assert (tmp_path / "maps" / "1-0.map").stat().st_size < size // 2
    assert load(folder, "1") == 1


def test_states_refer_to_the_operators_and_the_clock_of_the_task_that_loads_them() -> None:
    class Held(FirstRowState):
        pass

    state = state_with(1)
    state.held = [NODES[0].operator, CLOCK]  # type: ignore[attr-defined]
    content = mapped_state._dumps([state], NODES, CLOCK, lambda _: None)
    other, clock = [Node(KeepFirstRow(SCHEMA, [0]), 1)], RunClock()
    buffers: list[pickle.PickleBuffer] = []
    content = mapped_state._dumps([state], NODES, CLOCK, buffers.append)
    (loaded,) = mapped_state._loads(content, buffers, other, clock)
    assert loaded.held == [other[0].operator, clock]  # type: ignore[attr-defined]
    assert loaded.context is None


def test_a_kill_between_the_arrays_and_the_header_leaves_no_map(folder: MapFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder, "0", state_with(1))
    mapped = opened(folder)
    assert mapped.load("0", NODES, CLOCK) is not None

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(mapped_state.os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        mapped.save("1", [state_with(1, 2)], NODES, CLOCK)
    monkeypatch.undo()
    mapped.close()
    assert load(folder, "0") is None
    assert load(folder, "1") is None


def test_a_full_disk_leaves_the_map_out(folder: MapFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder, "0", state_with(1))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(mapped_state.os, "posix_fallocate", full)
    assert not save(folder, "1", state_with(*range(9)))
    assert not list((tmp_path / "maps").glob("*.header"))
    assert load(folder, "1") is None


def test_a_damaged_header_or_a_shorter_file_is_no_map(folder: MapFolder, tmp_path: Path) -> None:
    save(folder, "0", state_with(*range(1000)))
    header = tmp_path / "maps" / "1-0.header"
    content = header.read_bytes()
    header.write_bytes(content[: len(content) // 2])
    assert load(folder, "0") is None
    save(folder, "0", state_with(*range(1000)))
    os.truncate(tmp_path / "maps" / "1-0.map", 100)
    assert load(folder, "0") is None


def test_what_others_can_write_is_not_unpickled(folder: MapFolder, tmp_path: Path) -> None:
    save(folder, "0", state_with(1))
    (tmp_path / "maps" / "1-0.header").chmod(0o666)
    assert load(folder, "0") is None
    (tmp_path / "maps").chmod(0o777)
    assert MappedState.open(folder, "1-0") is None


def test_one_task_has_a_map_at_a_time(folder: MapFolder) -> None:
    first = opened(folder)
    assert MappedState.open(folder, "1-0") is None
    assert MappedState.open(folder, "1-1") is not None
    first.close()
    assert MappedState.open(folder, "1-0") is not None


def test_the_oldest_maps_are_removed(tmp_path: Path) -> None:
    save(MapFolder(str(tmp_path / "maps"), 1 << 30), "0", state_with(*range(30_000)), "first")
    (tmp_path / "maps" / "first.header").unlink()
    folder = MapFolder(str(tmp_path / "maps"), 2 * (tmp_path / "maps" / "first.map").stat().st_size)
    (tmp_path / "maps" / "first.map").unlink()
    for number in range(3):
        save(folder, "0", state_with(*range(30_000)), f"1-{number}")
        path = tmp_path / "maps" / f"1-{number}.map"
        os.utime(path, ns=(number, number)) if path.exists() else None
    found = [load(folder, "0", f"1-{number}") for number in range(3)]
    assert found[0] is None
    assert found[-1] == 30_000


def test_arrays_of_a_map_can_be_changed(folder: MapFolder) -> None:
    save(folder, "0", state_with(*range(3)))
    mapped = opened(folder)
    states = mapped.load("0", NODES, CLOCK)
    assert states is not None
    keys = states[0].keys
    assert keys is not None
    assert keys.find([pa.array([2, 7], pa.int64())], 2).tolist() == [2, -1]
    keys.find_or_insert([pa.array(np.arange(5000))], 5000)
    assert keys.size == 5000
    mapped.close()


def test_a_state_that_cannot_be_pickled_has_no_map(folder: MapFolder) -> None:
    save(folder, "0", state_with(1))
    state = state_with(1)
    state.encode = lambda value: value  # type: ignore[attr-defined]
    assert not save(folder, "1", state)
    assert load(folder, "1") is None
    assert load(folder, "0") is None


def test_arrays_of_a_map_have_the_types_of_numpy_itself(folder: MapFolder) -> None:
    arrays = [np.arange(6).astype(type_).reshape(shape) for type_ in ("i8", "u1", "f8", "?") for shape in ((6,), (2, 3))]
    arrays += [np.zeros(0, np.int64), np.arange(6).reshape(2, 3).T, np.array(["a", None], object), np.zeros(2, "M8[ms]")]
    mapped = opened(folder)
    assert mapped.save("0", arrays, NODES, CLOCK)  # type: ignore[arg-type]
    found = mapped.load("0", NODES, CLOCK)
    mapped.close()
    assert found is not None
    for before, after in zip(arrays, found, strict=True):
        assert isinstance(after, np.ndarray)
        assert np.array_equal(before, after)
        assert (before.dtype, before.shape, after.flags.writeable) == (after.dtype, after.shape, True)
    assert all(np.asarray(after).dtype is before.dtype for before, after in zip(arrays[:9], found[:9], strict=True)), "add.at needs it"
