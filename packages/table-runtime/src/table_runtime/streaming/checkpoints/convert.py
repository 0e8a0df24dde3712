"""Converts a checkpoint folder of a job, or a savepoint, of formats 1 to 3: ``python -m table_runtime.streaming.checkpoints.convert FOLDER NEW_FOLDER``.

Before format 4, messages of sinks, partial matches of patterns and accumulators of user functions were pickles. Only this module unpickles them, and makes no
objects but of the classes of this project that were stored there, unless ``--allow`` names others.
"""

from __future__ import annotations

import argparse
import base64
import io
import pickle
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import RowKind
from table_common.data import Row
from table_common.exceptions import TableError, TableException, TableRuntimeException
from table_common.gate import Gate
from table_runtime.patterns.match_encoding import matches_as_numbers
from table_runtime.streaming.checkpoints.checksums import FORMAT, WITHOUT_PICKLES, read_json, to_json
from table_runtime.streaming.checkpoints.file_store import FileStore, open_store
from table_runtime.streaming.checkpoints.inferred_columns import inferred_column, plain_message
from table_runtime.streaming.checkpoints.job_folder import epochs_in, is_done
from table_runtime.streaming.checkpoints.job_lock import describe_owner, owner_of
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
from table_runtime.streaming.checkpoints.stored_state import SAVEPOINT
from table_runtime.streaming.state.state_table import content_of

_KNOWN = frozenset(
    {
        ("table_runtime.operators.match_recognize.matcher", "Partition"),
        ("table_runtime.operators.match_recognize.matcher", "Match"),
        ("connector_sqlite.sink", "_Spooled"),
        ("connector_jdbc.writing", "_Staged"),
        ("connector_kafka.staging", "StagedMessages"),
        ("table_common.data.row", "Row"),
        ("table_common.connector.changelog_mode", "RowKind"),  # of checkpoints that were written before it moved
        ("table_common.data.row_kind", "RowKind"),
        ("table_common.functions.views", "ListView"),
        ("table_common.functions.views", "MapView"),
        ("decimal", "Decimal"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
    }
)
"""The classes that are made, by the modules that files name; none of them does anything when it is made."""
_MOVED = {"table_runtime.operators.match_recognize.matcher": "table_runtime.patterns.matcher"}
"""Modules that have another name now."""
_FUNCTION = re.compile(r"(?:calls\d+_)?function(\d+)")
_WARNING = """\
WARNING: the folder is of a format that holds pickles, and this command unpickles them. Continue only with a folder that nobody else could write to.
Only objects of the classes that this project stores are made, and of those that --allow names: whoever wrote the folder chooses how these are made."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m table_runtime.streaming.checkpoints.convert", description=__doc__.split("\n")[0].partition(":")[0]
    )
    parser.add_argument(
        "folder", help="the folder of a job, <execution.checkpointing.dir>/<pipeline.name>, or of a savepoint; it is not changed"
    )
    parser.add_argument("new_folder", help="the folder to write, which does not exist")
    parser.add_argument("--allow", action="append", default=[], metavar="MODULE:CLASS", help="a class of commit messages or accumulators")
    chosen = parser.parse_args(arguments)
    sys.stderr.write(_WARNING + "\n")
    try:
        done = convert(chosen.folder, chosen.new_folder, [tuple(name.split(":", 1)) for name in chosen.allow])
    except TableError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(done + "\n")
    return 0


def convert(folder: str, new_folder: str, allowed: Collection[tuple[str, ...]] = ()) -> str:
    """Writes a folder of the present format; returns what was done, in words. ``allowed`` are further classes: module and qualified name.

    Raises:
        TableException: there is nothing to convert, a process runs the job, the new folder exists, or a class is not allowed.
        TableRuntimeException: a file is missing or damaged, or what it holds cannot be written.
    """
    source, target = open_store(Gate.location_of_program(folder)), open_store(Gate.location_of_program(new_folder))
    if target.names("", with_hidden=True):
        raise TableException(f"The folder '{target.url}' exists and is not empty.", hint="Name a new one.")
    owner = owner_of(source)
    if owner is not None and owner[1]:
        raise TableException(f"The job in '{source.url}' is run by {describe_owner(owner[0])}.", hint="Stop it before.")
    return _Conversion(source, target, frozenset(allowed) | _KNOWN).run()


class _Conversion:
    def __init__(self, source: FileStore, target: FileStore, allowed: Collection[tuple[str, ...]]) -> None:
        self._source = source
        self._target = target
        self._allowed = allowed
        self._files: dict[str, Mapping[str, Any]] = {}
        """The new entries of the files that were converted, by their paths."""

    def run(self) -> str:
        source = self._source
        if source.read(SAVEPOINT) is not None:
            self._manifest(SAVEPOINT, needs_messages=False)
            return f"The savepoint was written to '{self._target.url}' in the format {FORMAT}."
        epochs = epochs_in(source)
        if not epochs or source.read("job.json") is None:
            raise TableException(f"There is no savepoint and no checkpoint of a job at '{source.url}'.")
        for epoch in epochs:
            # Only the last epoch is committed again.
            self._manifest(f"epochs/{epoch}.json", needs_messages=epoch == epochs[-1] and not is_done(source, epoch))
        for place in ("committing", "done"):
            for name in source.names(place):
                self._target.create(f"{place}/{name}", b"")
        for name in source.names("savepoints"):
            inner = _Conversion(
                open_store(Gate.location_of_program(f"{source.url}/savepoints/{name}")),
                open_store(Gate.location_of_program(f"{self._target.url}/savepoints/{name}")),
                self._allowed,
            )
            inner.run()
        self._target.create("job.json", to_json(_content(source, "job.json")))
        return (
            f"{len(epochs)} checkpoints were written to '{self._target.url}' in the format {FORMAT}. The job finds them if this folder takes the place of "
            f"'{source.url}', or if 'execution.checkpointing.dir' is the folder above it and its name is the same."
        )

    def _manifest(self, path: str, *, needs_messages: bool) -> None:
        content = _content(self._source, path)
        for name, state in content["states"].items():
            state["files"] = [self._file(name, state.get("signature") or {}, StateFile.from_json(file)) for file in state["files"]]
        for name, sink in content["sinks"].items():
            where = f"the messages of the sink {name}"
            sink["messages"] = [self._message(text, where) for text in sink["messages"]] if needs_messages else []
        self._target.create(path, to_json(content))

    def _message(self, text: str, where: str) -> Any:
        return plain_message(self._loads(base64.b64decode(text), where), where)

    def _file(self, operator: str, signature: Mapping[str, Any], file: StateFile) -> Mapping[str, Any]:
        if file.path in self._files:
            return self._files[file.path]
        snapshot = read_state(self._source, file)
        buckets = {bucket: dict(tables) for bucket, tables in snapshot.buckets.items()}
        kinds = signature.get("functions")
        where = f"the state of {operator}"
        names = dict.fromkeys(name for tables in snapshot.buckets.values() for name in tables)
        for name in names:
            written = {bucket: tables[name] for bucket, tables in snapshot.buckets.items()}
            number = _FUNCTION.fullmatch(name)
            if operator.startswith("MatchRecognize#") and name == "matches":
                converted = {bucket: self._matches(batch, where) for bucket, batch in written.items()}
            elif number is not None and _has_accumulators(written.values(), kinds, int(number[1])):
                converted = self._accumulators(written, where)
            else:
                continue
            for bucket, batch in converted.items():
                buckets[bucket][name] = batch
        result = write_state(self._target, file.path, snapshot._replace(buckets=buckets)).to_json()
        self._files[file.path] = result
        return result

    def _matches(self, batch: pa.RecordBatch, where: str) -> pa.RecordBatch:
        partitions = [None if value is None else self._loads(value, where) for value in batch.column(1).to_pylist()]
        return content_of(batch.column(0), [*matches_as_numbers(partitions), *batch.columns[2:]])

    def _accumulators(self, batches: Mapping[int, pa.RecordBatch], where: str) -> dict[int, pa.RecordBatch]:
        values = [self._loads(value, where) for batch in batches.values() for value in batch.column(1).to_pylist()]
        column = inferred_column(values, where)
        result, begin = {}, 0
        for bucket, batch in batches.items():
            result[bucket] = content_of(batch.column(0), [column.slice(begin, batch.num_rows)])
            begin += batch.num_rows
        return result

    def _loads(self, content: bytes, where: str) -> Any:
        try:
            return _Unpickler(content, self._allowed).load()
        except _RefusedClassError as error:
            raise TableException(
                f"In '{self._source.url}', {where} are an object of {error}, which this command does not make unless it is told to.",
                hint=f"If the folder is yours and the class is the one of your connector or function: --allow {error}",
            ) from None
        except Exception as error:
            raise TableRuntimeException(f"In '{self._source.url}', {where} cannot be unpickled: {type(error).__name__}: {error}") from error


class _RefusedClassError(Exception):
    """A pickle names a class that is not allowed."""


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, allowed: Collection[tuple[str, ...]]) -> None:
        super().__init__(io.BytesIO(content))
        self._allowed = allowed

    @override
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) == ("builtins", "getattr"):
            return _known_attribute
        if (module, name) not in self._allowed:
            raise _RefusedClassError(f"{module}:{name}")
        return super().find_class(_MOVED.get(module, module), name)


def _known_attribute(owner: Any, name: str) -> Any:
    """Returns the method by which Rows are pickled, or a kind of rows: ``getattr`` leads from any object to all others."""
    if owner is Row and name == "of_names":
        return Row.of_names
    if owner is RowKind and name in RowKind.__members__:
        return RowKind[name]
    raise _RefusedClassError(f"builtins:getattr of '{name}'")


def _content(store: FileStore, path: str) -> dict[str, Any]:
    content = store.read(path)
    try:
        if content is None:
            raise ValueError("it does not exist")
        value = read_json(content)
    except ValueError as error:
        raise TableRuntimeException(f"The file '{store.url}/{path}' cannot be read: {error}.") from error
    version = value.pop("format")
    if version >= WITHOUT_PICKLES:
        raise TableException(f"The file '{store.url}/{path}' has the format {version}: there is nothing to convert.")
    return value


def _has_accumulators(batches: Collection[pa.RecordBatch], kinds: Sequence[str] | None, number: int) -> bool:
    """Whether the state of a function is pickles: its kind says so, and in operators whose kinds are not known, its bytes do."""
    if kinds is not None and number < len(kinds):
        return kinds[number] == "UserAccumulatorState"
    if any(batch.num_columns != 2 or batch.schema.types[1] != pa.binary() for batch in batches):
        return False
    values = [value for batch in batches for value in batch.column(1).to_pylist()]
    return bool(values) and all(value is not None and value[:1] == b"\x80" and value[-1:] == b"." for value in values)


if __name__ == "__main__":
    sys.exit(main())
