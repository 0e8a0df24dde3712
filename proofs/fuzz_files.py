"""Fuzzing of file readers: `python proofs/fuzz_files.py [--files 10000] [--format NAME] [--seed N] [--keep DIR]`.

Valid files of every format are written and changed at random: bits and bytes, length fields, parts that are cut out, repeated, moved or
copied from another file, keywords of the format. Each file is read in a child process, with declared and with inferred columns. Failures are:

- a crash: a signal ends the child;
- a hang: a file takes more than 20 seconds;
- an internal error: an exception of another class than ours, or one that asks for a bug report.

Arrow's ORC reader crashes on some damaged stripes, which we cannot validate. These files are counted separately if they are rejected when the option
`read-in-process` is set.

Files that fail are kept, with the seed and the number that reproduce them.
"""

from __future__ import annotations

import argparse
import base64
import logging
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from google.protobuf import descriptor_pb2

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableError, TableInternalError
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import ReadTask, file_format
from table_runtime.formats.protobuf.factory import ProtobufFormatFactory

FORMATS = ("avro", "csv", "json", "orc", "parquet", "raw", "protobuf", "canal-json", "debezium-json", "maxwell-json", "ogg-json")
SECONDS = 20
IN_PROCESS = "refused by read-in-process"
HARMLESS = ("read", "refused", IN_PROCESS)
MEMORY = 6 << 30
"""The memory limit of a child: a file that needs more is rejected."""
_COLUMNS = {
    "id": "INT",
    "name": "STRING",
    "amount": "DECIMAL(20, 4)",
    "at": "TIMESTAMP(6)",
    "day": "DATE",
    "ok": "BOOLEAN",
    "ratio": "DOUBLE",
    "data": "BYTES",
    "list": "ARRAY<INT>",
}
_NESTED = {"map": "MAP<STRING, BIGINT>", "row": "ROW<a INT, b STRING, c ARRAY<ROW<d DOUBLE>>>"}
_WORDS = (
    *(b"null", b"{", b"}", b"[", b"]", b'"', b",", b"\n", b"\r", b"\x00", b"NaN", b"1e400", b"-0", b"true", b'{"id":', b'{"a":{"a":{"a":'),
    *(
        b"[" * 2000,
        b'{"a":' * 2000,
        b"[" * 700 + b"]" * 700,
        b'{"a":' * 400 + b"null" + b"}" * 400,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        b"\nnull\n",
        b"9" * 400,
        b"\\u0000",
        b"\\ud800",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"2020-13-45",
        b"avro.schema",
        b"PAR1",
        b"ORC",
    ),
    *(b"\xff" * 4, b"\xff" * 8, b"\x80" * 9 + b"\x01", b"\x7f\xff\xff\xff", b"\xfe\xff\xff\xff\x0f", b"\x00" * 16),
)


@dataclass
class Sample:
    """Valid files of a format, and the options to read them."""

    format: str
    row_type: RowType
    contents: list[bytes] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


def samples(format_: str, folder: Path) -> Sample:
    """Writes the valid files; to be called in a child."""
    columns = dict(_COLUMNS) if format_ in ("csv", "protobuf") else {**_COLUMNS, **_NESTED}
    if format_ == "raw":
        columns = {"id": "INT"}
    if format_ == "protobuf":
        return _protobuf_sample()
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)
    sample = Sample(format_, row_type)
    options: Sequence[dict[str, str]] = {
        "avro": [{"codec": "null"}, {"codec": "snappy"}, {"codec": "deflate"}],
        "orc": [{"compress": "NONE"}, {"compress": "ZLIB"}],
        "parquet": [{"compression": "UNCOMPRESSED"}, {"compression": "SNAPPY"}],
        "csv": [{"null-literal": "NULL"}],
    }.get(format_, [{}])
    for number, given in enumerate(options):
        for height in (0, 1, 50):
            path = folder / f"{format_}{number}{height}"
            writer = file_format(format_).open_writer(path, row_type, given)
            if height:
                writer.write(_batch(row_type, height))
            writer.close()
            sample.contents.append(path.read_bytes())
    sample.options = {"null-literal": "NULL"} if format_ == "csv" else {}
    return sample


def _batch(row_type: RowType, height: int) -> pa.RecordBatch:
    rng = random.Random(height)
    schema = to_arrow_schema(row_type)
    columns = []
    for arrow_field in schema:
        values = [None if i % 7 == 5 and row_type.field_names != ("id",) else _value(arrow_field.type, i, rng) for i in range(height)]
        columns.append(pa.array(values, arrow_field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _value(type_: pa.DataType, number: int, rng: random.Random) -> object:
    if pa.types.is_list(type_):
        return [_value(type_.value_type, i, rng) for i in range(number % 4)]
    if pa.types.is_map(type_):
        return [(f"k{i}", i) for i in range(number % 3)]
    if pa.types.is_struct(type_):
        return {child.name: _value(child.type, number, rng) for child in type_}
    if pa.types.is_string(type_):
        return rng.choice(["x", 'a "quoted", text', "Zürich", "line\nbreak"]) if number % 3 else f"name {number}"
    if pa.types.is_binary(type_):
        return rng.randbytes(number % 9)
    if pa.types.is_decimal(type_):
        return number * 31
    if pa.types.is_boolean(type_):
        return number % 2 == 0
    if pa.types.is_floating(type_):
        return number / 3
    # A number whose bytes contain no line break.
    return 1_000_000 + number * 0x101 if pa.types.is_integer(type_) and number else 0x01020304


def _protobuf_sample() -> Sample:
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="f.proto", package="p", syntax="proto3")
    message = file.message_type.add(name="M")
    message.field.add(name="id", number=1, type=5, label=1)
    message.field.add(name="name", number=2, type=9, label=1)
    message.field.add(name="data", number=3, type=12, label=1)
    message.field.add(name="list", number=4, type=5, label=3)
    message.field.add(name="next", number=5, type=11, type_name=".p.N", label=1)
    file.message_type.add(name="N").field.add(name="ratio", number=1, type=1, label=1)
    types = {"id": "INT", "name": "STRING", "data": "BYTES", "list": "ARRAY<INT>", "next": "ROW<ratio DOUBLE>"}
    row_type = RowType.of([(name, parse_logical_type(text)) for name, text in types.items()], nullable=False)
    options = {"message-class-name": "p.M", "descriptor-set": base64.b64encode(files.SerializeToString()).decode()}
    encoder = ProtobufFormatFactory().create_encoding_format(ReadableConfig(options)).create_runtime_encoder(row_type)
    encoder.open()
    rows = [{"id": i, "name": "x" * i, "data": b"\x00\xff", "list": list(range(i)), "next": {"ratio": 0.5}} for i in range(4)]
    batch = pa.RecordBatch.from_pylist(rows, schema=to_arrow_schema(row_type))
    return Sample("protobuf", row_type, pa.array(encoder.encode(batch)).to_pylist(), options)


def mutated(contents: Sequence[bytes], rng: random.Random) -> bytes:
    """Returns a valid file with one to eight changes."""
    data = bytearray(rng.choice(contents))
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 2, 4, 16, 200)))
        match rng.randrange(9):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(data):
                data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end] * rng.choice((1, 2, 50))
            case 4:
                del data[at:]
            case 5:
                data[at:at] = rng.choice(_WORDS)
            case 6:
                data[at:end] = rng.choice(_WORDS)[: end - at]
            case 7:
                other = rng.choice(contents)
                start = rng.randrange(len(other) + 1)
                data[at:end] = other[start : start + rng.choice((1, 4, 64, 1000))]
            case _:
                data[at:end] = rng.randbytes(end - at)
    return bytes(data)


def read(sample: Sample, data: bytes, path: Path) -> str:
    """Reads a file and returns the outcome: ``read``, ``refused`` or an internal error."""
    actions: list[Callable[[], None]] = [lambda: _decode(sample, data)] if sample.format == "protobuf" else []
    if not actions:
        path.write_bytes(data)
        names = sample.row_type.field_names
        task = ReadTask(path, sample.row_type, names, sample.options, nulls_for_missing_columns=True)
        actions = [
            lambda: [_collect(piece()) for piece in file_format(sample.format).read(task)] and None,
            lambda: file_format(sample.format).infer_type(path, sample.options) and None,
        ]
    outcome = "read"
    for action in actions:
        try:
            action()
        except TableInternalError as error:
            return f"internal error: {error}"
        except TableError:
            outcome = "refused"
        except BaseException as error:
            return f"internal error: {type(error).__name__}: {error}"[:300]
    return outcome


def _collect(batch: pa.RecordBatch) -> None:
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        # A decimal with more digits than declared is not detected as damage.
        if "does not fit in precision" not in str(error):
            raise


def _decode(sample: Sample, data: bytes) -> None:
    decoder = ProtobufFormatFactory().create_decoding_format(ReadableConfig(sample.options)).create_runtime_decoder(sample.row_type)
    decoder.open()
    decoder.decode(pa.array([data, data]))


def run(format_: str, seed: int, numbers: Iterator[int], keep: Path, folder: Path) -> dict[str, int]:
    """Reads the files with these numbers; returns the number of each outcome."""
    counts: dict[str, int] = {}
    pending = list(numbers)
    while pending:
        receiving, sending = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(receiving)
            _child(format_, seed, pending, sending, folder)
        os.close(sending)
        done, last = _watched(receiving, child, counts, format_, seed, keep)
        os.close(receiving)
        _, status = os.waitpid(child, 0)
        pending = pending[done:]
        if pending and os.waitstatus_to_exitcode(status) != 0:
            kind = "hang" if last == "hang" else "crash"
            if kind == "crash" and format_ == "orc" and _is_refused_in_process(format_, folder):
                counts[IN_PROCESS] = counts.get(IN_PROCESS, 0) + 1
                pending.pop(0)
                continue
            _failed(f"{kind}: exit code {os.waitstatus_to_exitcode(status)}", format_, seed, pending.pop(0), keep, folder)
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def _is_refused_in_process(format_: str, folder: Path) -> bool:
    """Returns whether the file that crashed the child is rejected when it is read in a separate process."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sample = samples(format_, folder)
            sample.options["read-in-process"] = "true"
            code = int(read(sample, (folder / "current").read_bytes(), folder / "file") != "refused")
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def _child(format_: str, seed: int, numbers: Sequence[int], sending: int, folder: Path) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        logging.disable()
        sample = samples(format_, folder)
        for number in numbers:
            data = mutated(sample.contents, random.Random(f"{seed}/{format_}/{number}"))
            (folder / "current").write_bytes(data)
            os.write(sending, f"{number} {read(sample, data, folder / 'file')}\n".replace("\n", " ").encode()[:900] + b"\n")
        code = 0
    finally:
        os._exit(code)


def _watched(receiving: int, child: int, counts: dict[str, int], format_: str, seed: int, keep: Path) -> tuple[int, str]:
    """Counts the outcomes that the child reports; returns the number of files read, and ``hang`` if the child was stopped."""
    done, rest, deadline = 0, b"", time.monotonic() + 3 * SECONDS
    while True:
        ready, _, _ = select.select([receiving], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            return done, "hang"
        block = os.read(receiving, 1 << 16)
        if not block:
            return done, ""
        deadline = time.monotonic() + SECONDS
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            number, _, outcome = line.decode(errors="replace").partition(" ")
            kind = outcome.partition(":")[0].strip()
            counts[kind] = counts.get(kind, 0) + 1
            done += 1
            if kind == "internal error":
                _failed(outcome, format_, seed, int(number), keep, None)


def _failed(outcome: str, format_: str, seed: int, number: int, keep: Path, folder: Path | None) -> None:
    kept = ""
    if folder is not None:
        keep.mkdir(parents=True, exist_ok=True)
        file = keep / f"{format_}-{seed}-{number}"
        with suppress(OSError):
            file.write_bytes((folder / "current").read_bytes())
        kept = f", kept as {file}"
    print(f"{format_}: file {number} of seed {seed}: {outcome}{kept}", flush=True)


def main() -> int:
    """Prints the outcomes for each format; returns 1 if a file failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=10_000, help="of each format")
    parser.add_argument("--format", choices=FORMATS, action="append", help="may be given more than once; else all")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--number", type=int, help="only this file")
    parser.add_argument("--keep", type=Path, default=Path("fuzzed"), help="folder for files that fail")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    failed = 0
    for format_ in given.format or FORMATS:
        numbers = range(given.files) if given.number is None else range(given.number, given.number + 1)
        with tempfile.TemporaryDirectory() as folder:
            counts = run(format_, given.seed, iter(numbers), given.keep, Path(folder))
        bad = sum(count for kind, count in counts.items() if kind not in HARMLESS)
        failed += bad
        print(f"{format_}: {sum(counts.values())} files, {bad} failures: {counts}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
