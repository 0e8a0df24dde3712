"""Throughput of decoding and encoding in MB/s: whole batches to Arrow, compared with Arrow's own readers where they exist.

    python benchmarks/formats.py [--rows 200000] [--smoke]

CPU seconds are the minimum of three runs, over all threads. Each line is one way to decode the same columns: a BIGINT, a nullable
text, a DOUBLE, an INT, a TIMESTAMP(3) and a BOOLEAN.
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.orc

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import ReadTask, file_format

COLUMNS = {"id": "BIGINT", "name": "STRING", "price": "DOUBLE", "qty": "INT", "ts": "TIMESTAMP(3)", "ok": "BOOLEAN"}
ROW_TYPE = RowType.of([(name, parse_logical_type(type_)) for name, type_ in COLUMNS.items()], nullable=False)
FILES = ("json", "csv", "avro", "orc", "parquet")
MESSAGES = ("json", "avro", "debezium-json", "canal-json", "maxwell-json", "ogg-json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--smoke", action="store_true", help="few rows, one round, as a smoke test")
    arguments = parser.parse_args()
    rows = 1_000 if arguments.smoke else arguments.rows
    repeat = 1 if arguments.smoke else 3
    batch = _batch(rows)
    with tempfile.TemporaryDirectory() as folder:
        for format_ in FILES:
            path = Path(folder) / f"f.{format_}"
            write = _best(lambda path=path, format_=format_: _write(format_, path, batch), repeat)
            size = path.stat().st_size / 1e6
            _report(f"{format_}: write", size, rows, write)
            _report(f"{format_}: read", size, rows, _best(lambda path=path, format_=format_: _read(format_, path), repeat))
            for name, run in _others(format_, path):
                _report(f"{format_}: {name}", size, rows, _best(run, repeat))
    for format_ in MESSAGES:
        factory: Any = FormatFactory.discover(format_)
        encoder = factory.create_encoding_format(ReadableConfig({})).create_runtime_encoder(ROW_TYPE)
        messages = pa.array(encoder.encode(batch))
        decoder = factory.create_decoding_format(ReadableConfig({})).create_runtime_decoder(ROW_TYPE)
        size = messages.nbytes / 1e6
        _report(
            f"{format_}: decode messages", size, rows, _best(lambda decoder=decoder, messages=messages: decoder.decode(messages), repeat)
        )


def _batch(rows: int) -> pa.RecordBatch:
    schema = to_arrow_schema(ROW_TYPE)
    start = 1_700_000_000_000_000
    columns = [
        list(range(rows)),
        [f"name-{number % 1000}" if number % 7 else None for number in range(rows)],
        [number * 0.5 for number in range(rows)],
        [number % 100 for number in range(rows)],
        pa.array([start + number * 1000 for number in range(rows)], pa.timestamp("us")).cast(schema.field("ts").type),
        [number % 2 == 0 for number in range(rows)],
    ]
    return pa.RecordBatch.from_arrays([pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _write(format_: str, path: Path, batch: pa.RecordBatch) -> None:
    # With fastavro, Snappy (the default) needs an additional library.
    writer = file_format(format_).open_writer(path, ROW_TYPE, {"codec": "deflate"} if format_ == "avro" else {})
    writer.write(batch)
    writer.close()


def _read(format_: str, path: Path) -> int:
    return sum(piece().num_rows for piece in file_format(format_).read(ReadTask(path, ROW_TYPE, ROW_TYPE.field_names)))


def _others(format_: str, path: Path) -> list[tuple[str, Callable[[], Any]]]:
    match format_:
        case "json":
            return [
                ("pyarrow.json", lambda: pyarrow.json.read_json(path)),
                ("json.loads", lambda: [json.loads(line) for line in path.read_bytes().splitlines()]),
            ]
        case "csv":
            names = pyarrow.csv.ReadOptions(column_names=list(COLUMNS))
            return [("pyarrow.csv", lambda: pyarrow.csv.read_csv(path, names))]
        case "orc":
            return [("pyarrow.orc", lambda: pyarrow.orc.read_table(path))]
        case "avro":
            import fastavro

            return [("fastavro.reader", lambda: sum(1 for _ in fastavro.reader(io.BytesIO(path.read_bytes()))))]
        case _:
            return []


def _best(run: Callable[[], Any], repeat: int) -> tuple[float, float]:
    found = []
    for _ in range(repeat):
        cpu, wall = time.process_time(), time.perf_counter()
        run()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(found)


def _report(name: str, megabytes: float, rows: int, seconds: tuple[float, float]) -> None:
    cpu, wall = seconds
    print(
        f"{name:32} {megabytes:7.1f} MB {cpu:7.3f} CPU s {wall:7.3f} s {megabytes / cpu:8.1f} MB/CPU s {rows / cpu / 1e3:8.0f} k rows/CPU s",
        flush=True,
    )


if __name__ == "__main__":
    main()
