"""State in files that lie on each other: what a newer file says about a key counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_runtime.streaming.checkpoints.checksums import to_json
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.state_files import write_state
from table_runtime.streaming.checkpoints.stored_state import SAVEPOINT, StoredState
from table_runtime.streaming.state.snapshots import KEYS, Snapshot


def snapshot(keys: list[int], live: list[bool], positions: list[int], values: list[str], *, is_whole: bool) -> Snapshot:
    written = pa.record_batch({"k0": pa.array(keys, pa.int32()), "k1": pa.nulls(len(keys), pa.int64()), "k2": pa.array(live, pa.bool_())})
    content = pa.record_batch({"c0": pa.array(positions, pa.int64()), "c1": pa.array(values)})
    return Snapshot({0: {KEYS: written, "names": content}}, is_whole)


def write(folder: Path, name: str, key_name: str = "t.k", **more: Any) -> None:
    store = open_store(str(folder))
    files = [
        write_state(store, "2.arrow", snapshot([2, 3], [False, True], [1], ["three"], is_whole=False)),
        write_state(store, "1.arrow", snapshot([3], [True], [0, 0], ["old", "older"], is_whole=False)),
        write_state(store, "0.arrow", snapshot([1, 2], [True, True], [0, 0, 1], ["a", "b", "c"], is_whole=True)),
        write_state(store, "before.arrow", snapshot([9], [True], [0], ["before the whole one"], is_whole=True)),
    ]
    state = {"operator": "G(k)", "signature": {"keys": [[key_name, "INT"]]}, "files": [file.to_json() for file in files]}
    nothing = {"operator": "Rows()", "signature": None, "files": []}
    store.create(name, to_json({"states": {"G#0": state, "Rows#0": nothing}, **more}))


@pytest.mark.parametrize("name", [SAVEPOINT, "epochs/12.json"])
def test_newer_files_replace_the_rows_of_a_key(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    stored = StoredState.open(str(tmp_path))
    rows = [row for batch in stored.rows("G#0", "names") for row in batch.to_pylist()]
    assert rows == [{"k": 3, "v0": "three"}, {"k": 1, "v0": "a"}, {"k": 1, "v0": "b"}]
    assert [row for batch in stored.rows("G#0", KEYS) for row in batch.to_pylist()] == [{"k": 3}, {"k": 1}]


def test_the_state_of_all_shares_is_read(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))

    def file(path: str, share: int, content: Snapshot) -> dict[str, Any]:
        buckets = {bucket + 32 * share: tables for bucket, tables in content.buckets.items()}
        return dict(write_state(store, path, content._replace(buckets=buckets), share=(share, 2)).to_json())

    files = [
        file("1", 0, snapshot([2], [True], [0], ["new"], is_whole=False)),
        file("0", 0, snapshot([1, 2], [True, True], [0, 1], ["a", "b"], is_whole=True)),
        file("2", 1, snapshot([7], [True], [0], ["c"], is_whole=True)),
    ]
    store.create(SAVEPOINT, to_json({"states": {"G#0": {"operator": "G(k)", "signature": None, "files": files}}}))
    rows = [row for batch in StoredState.open(str(tmp_path)).rows("G#0", "names") for row in batch.to_pylist()]
    assert sorted(row["v0"] for row in rows) == ["a", "c", "new"]


def test_operators_and_columns_are_listed(tmp_path: Path) -> None:
    write(tmp_path, SAVEPOINT, key_name="UPPER(t.k)")
    stored = StoredState.open(str(tmp_path))
    assert stored.operators == {"G#0": "G(k)"}
    assert stored.states("G#0")["names"] == pa.schema({"k0": pa.int32(), "v0": pa.string()})
    with pytest.raises(ValidationException, match="Operator 'G#1' does not exist"):
        stored.states("G#1")


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TableException, match="There is no savepoint and no checkpoint at"):
        StoredState.open(str(tmp_path))
    write(tmp_path, SAVEPOINT, format=99)
    with pytest.raises(TableException, match="has the format 99; this version reads the format"):
        StoredState.open(str(tmp_path))
    (tmp_path / SAVEPOINT).write_bytes(b"{}")
    with pytest.raises(TableRuntimeException, match="is damaged: it has no format"):
        StoredState.open(str(tmp_path))
