"""The state in a checkpoint or savepoint, for queries: keys and values of one operator. Nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.gate import AllowedPath, AllowedUrl
from table_runtime.columns.batches import concat_arrays, make_batch, take_arrays
from table_runtime.streaming.aggregates.groups import DISTINCT
from table_runtime.streaming.changes.batch import Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.checkpoints.checksums import read_json, require_format
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.job_folder import epochs_in
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, read_states
from table_runtime.streaming.state.columns import grown
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.snapshots import KEYS

SAVEPOINT = "savepoint.json"
"""The manifest of a savepoint, in its folder."""


class StoredState:
    """The state of the operators of a job, as one manifest names it."""

    def __init__(self, store: FileStore, operators: Mapping[str, Any]) -> None:
        self._store = store
        self._operators = operators

    @classmethod
    def open(cls, path: AllowedPath | AllowedUrl) -> StoredState:
        """Returns the state in the folder of a savepoint, or in the last checkpoint in the folder of a job.

        Raises:
            TableException: there is neither, or it has another format.
            TableRuntimeException: the manifest is damaged.
        """
        store = open_store(path)
        name = SAVEPOINT
        content = store.read(name)
        if content is None and (epochs := epochs_in(store)):
            name = f"epochs/{epochs[-1]}.json"
            content = store.read(name)
        if content is None:
            raise TableException(
                f"There is no savepoint and no checkpoint at '{path}'.",
                hint="'path' is the folder that a savepoint returned, or the folder of a job: <execution.checkpointing.dir>/<pipeline.name>",
            )
        try:
            value = read_json(content)
            version, operators = value["format"], value["states"]
        except (ValueError, KeyError) as error:
            raise TableRuntimeException(f"The checkpoint '{store.url}/{name}' is damaged: {error}.") from error
        require_format(version, f"checkpoint '{store.url}/{name}'", store.url)
        return cls(store, {name: state for name, state in operators.items() if state["files"]})

    @property
    def operators(self) -> Mapping[str, str]:
        """The operators that keep rows: their names, and their texts in a plan."""
        return {name: str(state["operator"]) for name, state in self._operators.items()}

    def states(self, operator: str) -> Mapping[str, pa.Schema]:
        """Returns the states of an operator: by name the columns of the key and then those of the value. Those without a key are not known.

        Raises:
            ValidationException: there is no such operator.
        """
        for file in self._files(operator):
            for tables in read_state(self._store, file).buckets.values():
                names = self._key_names(operator, tables[KEYS].num_columns - 2)
                keys = [pa.field(name, field.type) for name, field in zip(names, tables[KEYS].schema, strict=False)]
                return {
                    name: pa.schema([*keys, *(pa.field(f"v{number}", field.type) for number, field in enumerate(list(table.schema)[1:]))])
                    if name != KEYS
                    else pa.schema(keys)
                    for name, table in tables.items()
                }
        return {}

    def rows(self, operator: str, state: str) -> Sequence[pa.RecordBatch]:
        """Returns the rows of a state, with the columns of ``states``, at most one for each key or several if a key has a collection. Keys that were deleted are left out.

        Raises:
            TableRuntimeException: a file is missing or damaged.
        """
        schema = self.states(operator).get(state)
        if schema is None:
            return ()
        slots: KeySlots | None = None
        result = []
        counted = _CountedValues() if state.startswith(DISTINCT) else None
        for snapshot in read_states(self._store, self._files(operator)):
            for tables in snapshot.buckets.values():
                written = tables[KEYS]
                columns = written.columns[:-2]
                if slots is None:
                    slots = KeySlots([column.type for column in columns])
                known = slots.size
                found = slots.find_or_insert(columns, written.num_rows, writes=False)
                # What a newer file says about a key counts.
                kept = (found >= known) & written.columns[-1].to_numpy(zero_copy_only=False)
                if counted is not None:
                    tables = {**tables, state: counted.content(tables[state], found, kept)}
                    kept = np.ones(len(found), np.bool_)
                result.append(_rows_of(tables, state, columns, kept, schema))
            if snapshot.is_whole:
                break
        return [batch for batch in result if batch.num_rows]

    def _files(self, operator: str) -> Sequence[StateFile]:
        if operator not in self._operators:
            raise ValidationException.unknown("Operator", operator, tuple(self._operators), where=f"the checkpoint '{self._store.url}'")
        return [StateFile.from_json(file) for file in self._operators[operator]["files"]]

    def _key_names(self, operator: str, count: int) -> Sequence[str]:
        signature = self._operators[operator]["signature"] or {}
        names = [str(key[0]).rpartition(".")[2] for key in signature.get("keys", ())]
        is_usable = len(names) == count and len(set(names)) == count and all(name.isidentifier() for name in names)
        return names if is_usable else [f"k{number}" for number in range(count)]


class _CountedValues:
    """The values of keys whose newer files may have only those that have changed (``StateTable.changes``): a row without a count says that others count, too."""

    def __init__(self) -> None:
        self._open: Truths = np.zeros(0, np.bool_)
        self._known: KeySlots | None = None

    def content(self, content: pa.RecordBatch, slots: Slots, kept: Truths) -> pa.RecordBatch:
        """Returns the rows of a bucket that count; ``slots`` are those of its keys, of which ``kept`` are in no newer file."""
        self._open = grown(self._open, int(slots.max(initial=0)) + 1, False)
        places = content.column(0).to_numpy()
        wanted = (kept | self._open[slots])[places]
        has_count = pc.is_valid(content.column(1)).to_numpy(zero_copy_only=False)
        self._open[slots] = False
        self._open[slots[places[wanted & ~has_count]]] = True
        rows = np.flatnonzero(wanted & has_count)
        counts, *values = take_arrays(content.columns[1:], pa.array(rows))
        keys = [pa.array(slots[places[rows]]), *values]
        if self._known is None:
            self._known = KeySlots([column.type for column in keys])
        size = self._known.size
        is_new = self._known.find_or_insert(keys, len(rows)) >= size
        return content.take(pa.array(rows[is_new & (counts.to_numpy() > 0)]))


def _rows_of(
    tables: Mapping[str, pa.RecordBatch], state: str, keys: Sequence[pa.Array], kept: np.ndarray[Any, Any], schema: pa.Schema
) -> pa.RecordBatch:
    """Returns the rows of a bucket whose keys are ``kept``."""
    if state == KEYS:
        positions, values = np.flatnonzero(kept), []
    else:
        content = tables[state]
        places = content.column(0).to_numpy()
        chosen = np.flatnonzero(kept[places])
        positions, values = places[chosen], take_arrays(content.columns[1:], pa.array(chosen))
    columns = [*take_arrays(keys, pa.array(positions)), *values]
    return make_batch([concat_arrays([column], field.type) for column, field in zip(columns, schema, strict=True)], schema, len(positions))
