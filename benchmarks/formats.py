"""Throughput of text and Avro formats: each type at depth 0, 1 and 2, changelogs, Nexmark's events, and damaged rows, per CPU-second.

    python benchmarks/formats.py [--rows 100000] [--only json] [--smoke]

CPU seconds are the minimum of three runs, over all threads. A row has a BIGINT and one value of the type: as a column (depth 0), as the
field of a ROW (depth 1), as the field of a ROW in an ARRAY (depth 2). ``arrow`` is pyarrow's own reader of the same bytes, with inferred types.
Lines of which 1 % are damaged are decoded in turn with the undamaged ones, ten times each, so that both find memory in the same state.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.factories import FormatFactory
from table_common.types import RowType, parse_logical_type

START = 1_700_000_000_000
VALUES: dict[str, Callable[[int], Any]] = {
    "BOOLEAN": lambda n: n % 2 == 0,
    "INT": lambda n: n % 100_000,
    "BIGINT": lambda n: n * 1_000_003,
    "DOUBLE": lambda n: n * 0.37,
    "DECIMAL(10, 2)": lambda n: Decimal(n).scaleb(-2),
    "STRING": lambda n: f"name-{n % 1000}",
    "BYTES": lambda n: f"name-{n % 1000}".encode(),
    "DATE": lambda n: n % 20_000,
    "TIME(3)": lambda n: n % 86_400 * 1_000_000,
    "TIMESTAMP(3)": lambda n: (START + n * 7) * 1000,
    "TIMESTAMP_LTZ(3)": lambda n: (START + n * 7) * 1000,
    "ARRAY<INT>": lambda n: [n % 7, n % 5, None],
    "MAP<STRING, INT>": lambda n: [("a", n % 7), (f"b{n % 5}", 2)],
}
SHAPES: list[tuple[str, Callable[[Any], Any]]] = [
    ("{}", lambda v: v),
    ("ROW<f {}>", lambda v: {"f": v}),
    ("ARRAY<ROW<f {}>>", lambda v: [{"f": v}]),
]
EVENTS = "json Nexmark's events"
MIXED = {
    "id": "BIGINT",
    "name": "STRING",
    "price": "DOUBLE",
    "qty": "INT",
    "ts": "TIMESTAMP(3)",
    "ok": "BOOLEAN",
    "amount": "DECIMAL(10, 2)",
}
CHANGELOGS = ("debezium-json", "canal-json", "maxwell-json", "ogg-json")
_JSON_DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda line: b"no JSON",
    lambda line: line[:40],
    lambda line: line.replace(b'"qty":', b'"qty":"x'),
    lambda line: line.replace(b'"ts":"2023-', b'"ts":"2023-99-'),
]
DAMAGES: dict[str, list[Callable[[bytes], bytes]]] = {
    "json": _JSON_DAMAGES,
    "csv": [
        lambda line: b"no CSV",
        lambda line: line[:20],
        lambda line: b"x" + line,
        lambda line: line.replace(b",2023-", b",2023-99-"),
        lambda line: line.replace(b"2023-", b'"2023-'),
    ],
    **dict.fromkeys(CHANGELOGS, _JSON_DAMAGES),
}
"""How a line is damaged."""
_TIME = "TIMESTAMP(3)"
EVENT = {
    "event_type": "INT",
    "person": f"ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` {_TIME}, extra STRING>",
    "auction": f"ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` {_TIME}, expires {_TIME}, "
    "seller BIGINT, category BIGINT, extra STRING>",
    "bid": f"ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` {_TIME}, extra STRING>",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--only", help="only lines whose name contains this text")
    parser.add_argument("--smoke", action="store_true", help="few rows, one round, as a smoke test")
    arguments = parser.parse_args()
    rows, repeat = (500, 1) if arguments.smoke else (arguments.rows, 3)
    for name, format_, columns, data, options in _cases(rows):
        if arguments.only and arguments.only not in name:
            continue
        _measure(name, format_, columns, data, options, repeat)
    if not arguments.only or arguments.only in EVENTS:
        decoder, messages = _decoder("json", EVENT, {}), _event_messages(rows)
        _report(EVENTS, rows, None, _best(lambda: decoder.decode(messages), repeat), _arrow("json", messages, repeat))
    for format_ in DAMAGES:
        name = f"{format_} ignore-parse-errors"
        if not arguments.only or arguments.only in name:
            _measure_damage(name, format_, rows, 1 if arguments.smoke else 10)


def _cases(rows: int) -> Iterator[tuple[str, str, dict[str, str], list[list[Any]], dict[str, str]]]:
    numbers = list(range(rows))
    for format_ in ("json", "csv", "avro"):
        for type_, value in VALUES.items():
            for depth, (shape, wrap) in enumerate(SHAPES):
                # Fields of CSV are scalars, or arrays or rows of scalars.
                if format_ == "csv" and (depth == 2 or type_.startswith("MAP") or (depth and type_.startswith("ARRAY"))):
                    continue
                data = [numbers, [wrap(value(number)) for number in numbers]]
                yield f"{format_} {shape.format(type_)}", format_, {"id": "BIGINT", "v": shape.format(type_)}, data, {}
    mixed = _mixed(numbers)
    for format_ in ("json", "csv", "avro", *CHANGELOGS):
        yield f"{format_} seven mixed columns", format_, MIXED, mixed, {}


def _mixed(numbers: list[int]) -> list[list[Any]]:
    return [
        numbers,
        [f"name-{number % 1000}" if number % 7 else None for number in numbers],
        *([VALUES[type_](number) for number in numbers] for type_ in list(MIXED.values())[2:]),
    ]


def _measure_damage(name: str, format_: str, rows: int, repeat: int) -> None:
    columns = {name: type_ for name, type_ in MIXED.items() if name != "name"}
    mixed = _mixed(list(range(rows)))
    lines = pa.array(_encoder(format_, columns, {}).encode(_batch(columns, [mixed[0], *mixed[2:]]))).to_pylist()
    random_ = random.Random(1)
    damaged = [random_.choice(DAMAGES[format_])(line) if random_.random() < 0.01 else line for line in lines]
    decoder = _decoder(format_, columns, {"ignore-parse-errors": "true"})
    messages = [pa.array(lines), pa.array(damaged)]
    pairs = [[_best(lambda array=array: decoder.decode(array), 1) for array in messages] for _ in range(repeat)]
    whole, part = map(min, zip(*pairs, strict=True))
    _report(name, rows, None, whole, _arrow(format_, messages[0], repeat))
    _report(f"{name}, 1 % damaged", rows, None, part, None, f"   {part / whole - 1:+.0%} slower")


def _event_messages(rows: int) -> pa.Array:
    numbers = range(rows)
    times = [(START + number) * 1000 for number in numbers]
    kinds = [0 if number % 50 == 0 else 1 if number % 50 < 4 else 2 for number in numbers]
    extra = "x" * 40
    people = [
        {"id": n, "name": "vicky noris", "emailAddress": "a@b.com", "creditCard": "1234 5678 9012 3456", "city": "Phoenix", "state": "AZ", "dateTime": t, "extra": extra}
        if kind == 0 else None for n, t, kind in zip(numbers, times, kinds, strict=True)
    ]  # fmt: skip
    auctions = [
        {"id": n, "itemName": "item", "description": "d" * 30, "initialBid": n, "reserve": n, "dateTime": t, "expires": t, "seller": n, "category": 10, "extra": extra}
        if kind == 1 else None for n, t, kind in zip(numbers, times, kinds, strict=True)
    ]  # fmt: skip
    bids = [
        {"auction": n, "bidder": n, "price": n, "channel": "Google", "url": f"https://www.nexmark.com/item.htm?query=1&channel_id={n}", "dateTime": t, "extra": extra}
        if kind == 2 else None for n, t, kind in zip(numbers, times, kinds, strict=True)
    ]  # fmt: skip
    return pa.array(_encoder("json", EVENT, {}).encode(_batch(EVENT, [kinds, people, auctions, bids])))


def _row_type(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(type_)) for name, type_ in columns.items()], nullable=False)


def _batch(columns: dict[str, str], data: list[list[Any]]) -> pa.RecordBatch:
    schema = to_arrow_schema(_row_type(columns))
    return pa.RecordBatch.from_arrays(
        [pa.array(values, type=field.type) for values, field in zip(data, schema, strict=True)], schema=schema
    )


def _encoder(format_: str, columns: dict[str, str], options: dict[str, str]) -> Any:
    factory: Any = FormatFactory.discover(format_)
    return factory.create_encoding_format(ReadableConfig(options)).create_runtime_encoder(_row_type(columns))


def _decoder(format_: str, columns: dict[str, str], options: dict[str, str]) -> Any:
    factory: Any = FormatFactory.discover(format_)
    return factory.create_decoding_format(ReadableConfig(options)).create_runtime_decoder(_row_type(columns))


def _measure(name: str, format_: str, columns: dict[str, str], data: list[list[Any]], options: dict[str, str], repeat: int) -> None:
    batch = _batch(columns, data)
    encoder, decoder = _encoder(format_, columns, options), _decoder(format_, columns, options)
    messages = pa.array(encoder.encode(batch))
    written = _best(lambda: encoder.encode(batch), repeat)
    read = _best(lambda: decoder.decode(messages), repeat)
    _report(name, batch.num_rows, written, read, _arrow(format_, messages, repeat))


def _arrow(format_: str, messages: pa.Array, repeat: int) -> float | None:
    if format_ not in ("json", "csv"):
        return None
    block = b"\n".join(messages.to_pylist()) + b"\n"
    size = len(block) + 1
    try:
        if format_ == "json":
            options = pyarrow.json.ReadOptions(block_size=size)
            return _best(lambda: pyarrow.json.read_json(pa.BufferReader(block), options), repeat)
        csv_options = pyarrow.csv.ReadOptions(block_size=size, autogenerate_column_names=True)
        return _best(lambda: pyarrow.csv.read_csv(pa.BufferReader(block), csv_options), repeat)
    except pa.ArrowInvalid:
        return None


def _best(run: Callable[[], Any], repeat: int) -> float:
    found = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return max(min(found), 1e-6)


def _report(name: str, rows: int, written: float | None, read: float, arrow: float | None, remark: str = "") -> None:
    def rate(seconds: float | None) -> str:
        return f"{rows / seconds / 1e3:8.0f}" if seconds is not None else f"{'—':>8}"

    print(f"{name:48} written {rate(written)}   read {rate(read)}   arrow {rate(arrow)}   k rows/CPU s{remark}", flush=True)


if __name__ == "__main__":
    main()
