"""Tables of state: the columns that are declared, against those that there are. Jobs' own state is in ``test_state_tables.py``."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.connectors.job_state import JobStateProvider
from table_runtime.streaming.checkpoints.checksums import to_json
from table_runtime.streaming.checkpoints.file_store import open_store
from table_runtime.streaming.checkpoints.state_files import write_state
from table_runtime.streaming.checkpoints.stored_state import SAVEPOINT
from table_runtime.streaming.state.snapshots import KEYS, Snapshot


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A savepoint with the names of two keys, of which one is NULL."""
    store = open_store(str(tmp_path))
    keys = pa.record_batch({"k0": pa.array([1, None], pa.int32()), "k1": pa.nulls(2, pa.int64()), "k2": [True, True]})
    names = pa.record_batch({"c0": pa.array([0, 1]), "c1": ["a", "b"]})
    file = write_state(store, "0.arrow", Snapshot({0: {KEYS: keys, "names": names}}, is_whole=True))
    store.create(SAVEPOINT, to_json({"states": {"G#0": {"operator": "G(k)", "signature": None, "files": [file.to_json()]}}}))
    return str(tmp_path)


def provider(folder: str, columns: str, operator: str | None = "G#0", state: str = "names") -> JobStateProvider:
    return JobStateProvider(folder, operator, state, cast("RowType", parse_logical_type(f"ROW<{columns}>")))


def test_columns_go_by_position(folder: str) -> None:
    found = provider(folder, "id INT, name STRING")
    found.check("table t")
    (batch,) = pickle.loads(pickle.dumps(found)).read(0)
    assert batch.to_pylist() == [{"id": 1, "name": "a"}, {"id": None, "name": "b"}]


@pytest.mark.parametrize("columns", ["id INT", "id BIGINT, name STRING", "id INT, name STRING, more INT"])
def test_other_columns_are_refused_with_those_that_there_are(folder: str, columns: str) -> None:
    with pytest.raises(
        ValidationException, match="The state 'names' of G#0 has the columns `k0` INT, `v0` STRING, but table t has `id`"
    ) as raised:
        provider(folder, columns).check("table t")
    assert "names (`k0` INT, `v0` STRING)" in (raised.value.hint or "")


def test_null_in_a_column_that_is_declared_not_null(folder: str) -> None:
    found = provider(folder, "id INT NOT NULL, name STRING")
    found.check("table t")
    with pytest.raises(TableRuntimeException, match="The column 'id' is NOT NULL, but the state 'names' of G#0 has NULL in it"):
        list(found.read(0))


def test_the_list_of_operators_has_columns_by_name(folder: str) -> None:
    found = provider(folder, "columns STRING, state STRING", operator=None)
    found.check("table t")
    (batch,) = found.read(0)
    assert {"columns": "`k0` INT, `v0` STRING", "state": "names"} in batch.to_pylist()
    with pytest.raises(ValidationException, match="A list of operators has the columns `operator` STRING") as raised:
        provider(folder, "rows BIGINT", operator=None).check("table t")
    assert "set the option 'operator' to read the state of one: G#0" in (raised.value.hint or "")
