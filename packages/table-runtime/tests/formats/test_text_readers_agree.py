"""Random and mutated JSON and CSV: what Arrow reads block by block is what is read line by line, and nothing fails in another way than it should."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv_blocks import is_plain
from table_runtime.formats.csv_rows import CsvRows
from table_runtime.formats.ignored import Ignored
from table_runtime.formats.json_lines import LineParser
from table_runtime.formats.json_vectors import VectorParser

ROUNDS = 600
CSV_TYPES = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "DECIMAL(38, 18)", "CHAR(3)", "VARCHAR(3)"),
    *("STRING", "BINARY(2)", "BYTES", "DATE", "TIME", "TIME(3)", "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(3)"),
    *("ARRAY<INT>", "ARRAY<STRING>", "ROW<a INT, b STRING>"),
]
JSON_TYPES = [
    *CSV_TYPES,
    "ARRAY<DOUBLE>",
    "ARRAY<ARRAY<DECIMAL(5, 2)>>",
    "ROW<c0 INT, r ROW<a BOOLEAN>>",
    "MAP<STRING, INT>",
    "MULTISET<STRING>",
]
TEXTS = [
    *("1", "-5", "+1", "007", "1_0", "0x1F", "99999999999", "1.5", "1.005", "1.50", ".5", "5.", "1e2", "1e400", "-0", "-0.0", "1e39"),
    *("", " ", " 1 ", "abc", "a b", "#x", "é", "true", "TRUE", "false", "nan", "NaN", "Infinity", "-Infinity", "inf", "Info", "null"),
    *("2020-01-01", "2020-1-1", "2020-02-30", "0000-01-01", "12:34:56", "12:34", "24:00:00", "12:34:56.789", "2020-01-01 12:34:56"),
    *("2020-01-01 12:34:56.123456", "2020-01-01T12:34:56", "2020-01-01 12:34:56Z", "9999-12-31 23:59:59", "YQ==", "YQ", "YWJj\r\nYWJj"),
    *("1;2", ";", "1;x", "x;y", "16777217.000000001", "0.1", "123456789012345678901234567890.5"),
]


def attempted(read: Any) -> str:
    """Returns what is read, or the error; other errors than those of the format are raised."""
    try:
        return repr(read())
    except TableRuntimeException as error:
        return str(error)


def mutated(random_: random.Random, text: str, characters: str) -> str:
    for _ in range(random_.choice([0, 0, 1, 2])):
        at = random_.randrange(len(text) + 1)
        text = text[:at] + random_.choice(characters) + text[at + random_.randrange(2) :]
    return text


def csv_text(random_: random.Random, width: int) -> str:
    rows = []
    for _ in range(random_.randrange(1, 5)):
        fields = [random_.choice(TEXTS) for _ in range(max(1, width + random_.choice([0] * 8 + [1, -1])))]
        rows.append(
            ",".join('"' + field.replace('"', '""') + '"' if random_.random() < 0.3 or "\n" in field else field for field in fields)
        )
    text = random_.choice(["\n", "\n", "\r\n", "\r"]).join(rows) + random_.choice(["\n", "", "\n\n", "\r\n"])
    return mutated(random_, text, '",\n \\\rx;#')


def json_value(random_: random.Random, depth: int = 0) -> str:
    kind = random_.randrange(8 if depth < 3 else 6)
    if kind == 7:
        return "{" + ",".join(f'"{random_.choice("abr")}":{json_value(random_, depth + 1)}' for _ in range(random_.randrange(3))) + "}"
    if kind == 6:
        return "[" + ",".join(json_value(random_, depth + 1) for _ in range(random_.randrange(3))) + "]"
    text = random_.choice(TEXTS)
    return json.dumps(text) if kind > 1 else random_.choice([text, "null", "true", "1", "1.5", "12.25"])


def json_text(random_: random.Random, width: int) -> str:
    lines = []
    for _ in range(random_.randrange(1, 4)):
        names = [f"c{random_.randrange(width + 1)}" for _ in range(random_.randrange(width + 2))]
        lines.append("{" + ",".join(f'"{name}":{json_value(random_)}' for name in names) + "}")
    text = random_.choice(["\n", "\n", "\n", "\r\n", "", "\n\n"]).join(lines) + random_.choice(["\n", "", "\n\n", " \n"])
    return mutated(random_, text, '"{}[],:\n \r\\1eN')


def row_of(random_: random.Random, types: list[str]) -> RowType:
    names = [f"c{number}" for number in range(random_.randrange(1, 4))]
    return RowType.of([(name, parse_logical_type(random_.choice(types))) for name in names], nullable=False)


@pytest.fixture
def random_() -> random.Random:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    return random.Random(seed)


def test_plain_blocks_of_csv_are_read_at_once_as_they_are_record_by_record(random_: random.Random) -> None:
    plain_blocks = 0
    for _ in range(ROUNDS):
        row_type = row_of(random_, CSV_TYPES)
        data = csv_text(random_, len(row_type.fields)).encode()
        options = {
            key: value
            for key, value in [
                ("ignore-parse-errors", "true"),
                ("null-literal", random_.choice(["", "1", "abc"])),
                ("allow-comments", "true"),
                ("disable-quote-character", "true"),
                ("escape-character", "\\"),
            ]
            if random_.random() < 0.2
        }
        rows = CsvRows(row_type, row_type, ReadableConfig(options))

        def read(*, plain: bool, rows: CsvRows = rows, data: bytes = data) -> Any:
            columns, count = rows.parse_block(data, plain=plain, where=lambda line: f"line {line + 1}", ignored=Ignored())
            return [column.to_pylist() for column in columns], count

        found = attempted(lambda read=read: read(plain=False))
        if is_plain(data, rows.dialect):
            plain_blocks += 1
            assert attempted(lambda read=read: read(plain=True)) == found, (data, str(row_type), options)
    assert plain_blocks > ROUNDS / 2


def test_blocks_of_json_are_read_at_once_as_they_are_line_by_line(random_: random.Random) -> None:
    read_at_once = 0
    for _ in range(ROUNDS):
        row_type = row_of(random_, JSON_TYPES)
        block = json_text(random_, len(row_type.fields)).encode()
        vectors = VectorParser.of(row_type)
        columns = vectors.parse(block) if vectors is not None else None

        def read(row_type: RowType = row_type, block: bytes = block) -> list[pa.Array]:
            return LineParser(row_type, "json").parse(block.split(b"\n"), lambda position: f"line {position + 1}")[0]

        found = attempted(lambda read=read: [column.to_pylist() for column in read()])
        if columns is not None:
            read_at_once += 1
            assert repr([column.to_pylist() for column in columns]) == found, (block, str(row_type))
    assert read_at_once > ROUNDS / 20
