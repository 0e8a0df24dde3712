"""Random CSV texts of many dialects: files in blocks and messages give what the grammar gives record by record."""

from __future__ import annotations

import csv
import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv import blocks as blocks_module
from table_runtime.formats.csv.blocks import csv_blocks
from table_runtime.formats.csv.records import CsvDialect, read_records
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.csv.writer import CsvEncoder
from table_runtime.formats.lines import BYTE_ORDER_MARK
from table_runtime.formats.skipped_rows import Ignored
from table_testing.rounds import rounds

SEED = int(os.environ.get("CSV_SEED", "20"))
EXAMPLES = int(os.environ.get("CSV_EXAMPLES", len(rounds(600))))
Rows = list[tuple[Any, ...]]
Reading = tuple[Rows, int]
"""Rows, and the number of ignored ones."""


def row_type(names: list[str]) -> RowType:
    return RowType.of([(name, parse_logical_type("STRING")) for name in names], nullable=False)


def random_options(chosen: random.Random) -> dict[str, str]:
    quote, escape = chosen.choice(['"', '"', "'", None, "|", "é"]), chosen.choice([None, None, None, "\\", "^", "#", '"'])
    options = {"field-delimiter": chosen.choice(",;\t x.ä"), "allow-comments": chosen.choice(["false", "true"])}
    options["ignore-parse-errors"] = chosen.choice(["true", "true", "false"])
    options |= {"disable-quote-character": "true"} if quote is None else {"quote-character": quote}
    options |= {} if escape is None else {"escape-character": escape}
    null = chosen.choice([None, None, "", "n", ",", '"', "é"])
    return options | ({} if null is None else {"null-literal": null})


def random_line(chosen: random.Random, dialect: CsvDialect, width: int, rare: list[str]) -> bytes:
    quote, delimiter = dialect.quote or '"', dialect.delimiter
    if chosen.random() < 0.6:
        fields = [chosen.choice(["a", "", "n", "12", "é", "\0x"]) for _ in range(width)]
        quoted = [f"{quote}{chosen.choice([field, 'a' + delimiter, quote * 2, 'c'])}{quote}" for field in fields]
        text = delimiter.join(map(chosen.choice, zip(fields, quoted, strict=True))) + chosen.choice(["\n", "\n", "\r\n"])
    else:
        pieces = [
            "a",
            delimiter,
            delimiter,
            quote,
            quote * 2,
            f"{quote}x{quote}{delimiter}",
            "n",
            "\n",
            "\r\n",
            " ",
            "\t",
            "é",
            "\0",
            *rare,
        ]
        text = "".join(chosen.choice(pieces) for _ in range(chosen.randrange(1, 8))) + chosen.choice(["\n", "\n", ""])
    return text.encode(errors="surrogateescape")


def outcome(read: Callable[[], Reading]) -> Reading | None:
    """Returns what is read; None for an error."""
    try:
        return read()
    except TableRuntimeException:
        return None


def by_record(rows: CsvRows, data: bytes, positions: list[int]) -> Reading:
    text, found, ignored = data.decode(errors="surrogateescape"), [], Ignored()
    for record in read_records(text, rows.dialect, final=True):
        fields = rows._row(record, lambda: "", ignored) if rows._is_row(text, record) else None
        if fields is not None:
            found.append(tuple(fields[position] for position in positions))
    return found, ignored.rows


def by_block(rows: CsvRows, path: Path) -> Reading:
    found, ignored = [], Ignored()
    for block in csv_blocks(path, rows.dialect):
        columns, count = rows.parse_block(block.data, plain=block.plain, where=str, ignored=ignored)
        found += list(zip(*(column.to_pylist() for column in columns), strict=True)) if columns else [()] * count
    return found, ignored.rows


def each_alone(rows: CsvRows, messages: list[bytes], positions: list[int]) -> Reading:
    ignored = Ignored()
    found = [rows._message(message, lambda: "", ignored) for message in messages]
    return [tuple(fields[position] for position in positions) for fields in found if fields is not None], ignored.rows


def together(rows: CsvRows, messages: list[bytes]) -> Reading:
    ignored = Ignored()
    columns, numbers = rows.parse_messages(pa.array(messages, pa.binary()), str, ignored)
    count = len(messages) if numbers is None else len(numbers)
    return list(zip(*(column.to_pylist() for column in columns), strict=True)) if columns else [()] * count, ignored.rows


def test_blocks_and_messages_give_what_each_record_gives_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"CSV_SEED={SEED}")
    chosen, path = random.Random(SEED), tmp_path / "f.csv"
    for _ in range(EXAMPLES):
        options, names = random_options(chosen), ["a", "b", "c"][: chosen.randrange(1, 4)]
        wanted = chosen.sample(names, chosen.randrange(len(names) + 1))
        positions = [names.index(name) for name in wanted]
        rows = CsvRows(row_type(names), row_type(wanted), ReadableConfig(options))
        if rows.dialect.delimiter in (rows.dialect.quote, rows.dialect.escape):
            continue
        rare = [piece for piece in (rows.dialect.escape or "\\", "#", "\r", "\udcff", "\udcc3", "\ufeff") if chosen.random() < 0.3]
        lines = [random_line(chosen, rows.dialect, len(names), rare) for _ in range(chosen.randrange(1, 10))]
        data, mark = b"".join(lines), chosen.choice([b"", BYTE_ORDER_MARK])
        path.write_bytes(mark + data)
        monkeypatch.setattr(blocks_module, "BLOCK_BYTES", chosen.choice([3, 4, 5, 8, 13, 1000]))
        expected = data if mark else data.removeprefix(BYTE_ORDER_MARK)
        read = by_record, by_block
        assert outcome(lambda: read[1](rows, path)) == outcome(lambda: read[0](rows, expected, positions)), (options, names, wanted, data)  # noqa: B023
        messages = [line for line in lines if line]
        alone = outcome(lambda: each_alone(rows, messages, positions))  # noqa: B023
        assert outcome(lambda: together(rows, messages)) == alone, (options, names, wanted, messages)  # noqa: B023
        monkeypatch.setattr(rows, "_sound", None)  # the pattern that finds broken messages early
        assert outcome(lambda: each_alone(rows, messages, positions)) == alone, (options, names, wanted, messages)  # noqa: B023


def test_what_the_standard_library_writes_is_read_alike() -> None:
    print(f"CSV_SEED={SEED}")
    chosen = random.Random(SEED)
    for _ in range(EXAMPLES):
        delimiter = chosen.choice(",;\t|")
        pieces = ["a", '"', delimiter, "\n", "\r\n", " ", "é", "#", "\\"]
        rows = [["".join(chosen.choices(pieces, k=chosen.randrange(5))) for _ in range(3)] for _ in range(4)]
        file = io.StringIO(newline="")
        quoting = chosen.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        csv.writer(file, delimiter=delimiter, lineterminator=chosen.choice(["\n", "\r\n"]), quoting=quoting).writerows(rows)
        assert [record.fields for record in read_records(file.getvalue(), CsvDialect(delimiter=delimiter), final=True)] == rows
        config = ReadableConfig({"field-delimiter": delimiter})
        read = CsvRows(row_type(["a", "b", "c"]), row_type(["a", "b", "c"]), config)
        columns, _ = read.parse_block(file.getvalue().encode(), plain=False, where=str, ignored=Ignored())
        assert list(map(list, zip(*(column.to_pylist() for column in columns), strict=True))) == rows


def test_a_refused_record_that_is_not_utf8_is_counted_and_not_lost() -> None:
    rows = CsvRows(row_type(["a", "b"]), row_type(["a"]), ReadableConfig({"ignore-parse-errors": "true"}))
    ignored = Ignored()
    columns, _ = rows.parse_block(b"a,b\n\xff,c,d,e\n\xff,f\nc,\xff\ng,h\n", plain=True, where=str, ignored=ignored)
    assert (columns[0].to_pylist(), ignored.rows) == (["a", "g"], 3)


def test_a_byte_order_mark_inside_a_file_is_text() -> None:
    rows = CsvRows(row_type(["a", "b"]), row_type(["a"]), ReadableConfig({}))
    columns, _ = rows.parse_block(b"\xef\xbb\xbfa,b\n", plain=True, where=str, ignored=Ignored())
    assert columns[0].to_pylist() == ["\ufeffa"]


def test_a_quote_as_the_escape_character_only_doubles_quotes() -> None:
    # As Flink 2.3 reads these records.
    config = ReadableConfig({"escape-character": '"'})
    rows = CsvRows(row_type(["a", "b"]), row_type(["a", "b"]), config)
    columns, _ = rows.parse_block(b'"a""b",c\n"x",y\n"m","n""o"\n', plain=True, where=str, ignored=Ignored())
    assert [column.to_pylist() for column in columns] == [['a"b', "x", "m"], ["c", "y", 'n"o']]
    batch = pa.RecordBatch.from_arrays(columns, names=["a", "b"])
    assert CsvEncoder(row_type(["a", "b"]), config).lines(batch)[2].as_py() == 'm,"n""o"'
