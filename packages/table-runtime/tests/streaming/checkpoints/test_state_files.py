from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, read_states, write_state
from table_runtime.streaming.state.snapshots import KEYS, Snapshot

TABLES = {KEYS: pa.record_batch({"k0": [1, 2]}), "values": pa.record_batch({"at": [0, 1], "v": ["a", None]})}


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return open_store(str(tmp_path))


def test_a_snapshot_is_read_as_it_was_written(store: FileStore) -> None:
    snapshot = Snapshot({3: TABLES, 9: {name: table.slice(1) for name, table in TABLES.items()}}, is_whole=True)
    file = write_state(store, "states/a/0.arrow", snapshot)
    assert (file.is_base, file.rows, file.bytes) == (True, 3, (Path(store.url) / file.path).stat().st_size)
    assert read_state(store, file) == snapshot
    assert StateFile.from_json(file.to_json()) == file


@pytest.mark.parametrize(("damage", "text"), [("bit", "is damaged"), ("end", "is damaged"), ("all", "does not exist")])
def test_a_damaged_file_says_how_to_go_on(damage: str, text: str, store: FileStore) -> None:
    file = write_state(store, "states/a/0.arrow", Snapshot({3: TABLES}, is_whole=False))
    path = Path(store.url) / file.path
    content = bytearray(path.read_bytes())
    if damage == "bit":
        content[len(content) // 2] ^= 1
    path.unlink() if damage == "all" else path.write_bytes(content[:-1] if damage == "end" else content)
    with pytest.raises(TableRuntimeException, match=f"0.arrow' {text}") as raised:
        read_state(store, file)
    assert "rename the newest file in the folder 'epochs' to '<n>.json.damaged'" in str(raised.value)


def test_a_file_of_a_share_says_which_share_it_is(store: FileStore) -> None:
    file = write_state(store, "states/a/0.arrow", Snapshot({3: TABLES}, is_whole=True), share=(1, 4))
    assert (file.share, file.of) == (1, 4)
    assert StateFile.from_json(file.to_json()) == file
    of_all = write_state(store, "states/a/1.arrow", Snapshot({3: TABLES}, is_whole=True))
    assert not {"share", "of"} & of_all.to_json().keys()


def test_the_files_of_several_shares_are_read_together_up_to_the_base_of_each(store: FileStore) -> None:
    def written(path: str, bucket: int, share: int, *, is_base: bool) -> StateFile:
        return write_state(store, path, Snapshot({bucket: TABLES}, is_whole=is_base), share=(share, 2))

    files = [
        written("a", 1, 0, is_base=False),
        written("b", 2, 0, is_base=True),
        written("c", 1, 0, is_base=True),
        written("d", 40, 1, is_base=True),
        written("e", 41, 1, is_base=True),
    ]
    assert [(sorted(each.buckets), each.is_whole) for each in read_states(store, files)] == [([1, 40], False), ([2], True)]
    assert list(read_states(store, ())) == []
