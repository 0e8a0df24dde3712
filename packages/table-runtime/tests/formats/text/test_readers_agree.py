"""Random and mutated JSON and CSV: what Arrow reads block by block is what is read line by line, and nothing fails in another way than it should."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import ArrayType, LogicalType, MapType, RowType, parse_logical_type
from table_runtime.formats.csv.blocks import is_plain
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.json.line_parser import LineParser
from table_runtime.formats.json.rows import JsonRows
from table_runtime.formats.skipped_rows import Ignored
from table_runtime.formats.text.forms import JSON_ISO, JSON_SQL
from table_testing.rounds import rounds

ROUNDS = len(rounds(600))
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


NESTED_TYPES = [
    *("ROW<a TIMESTAMP(3), b ROW<a BYTES, r ARRAY<DECIMAL(5, 2)>>>", "ARRAY<ROW<a TIME(3), b DATE>>", "ARRAY<ARRAY<TIMESTAMP_LTZ(6)>>"),
    *("MAP<STRING, TIMESTAMP(3)>", "ROW<a MAP<INT, DOUBLE>, b ARRAY<BYTES>>", "ROW<a INT, b ROW<a BIGINT, b BOOLEAN>>"),
]


def fitting(random_: random.Random, type_: LogicalType, standard: str) -> str:
    """Returns JSON of a value of the type, with few errors."""
    if random_.random() < 0.08:
        return "null"
    if random_.random() < 0.02:
        return json_value(random_)
    match type_:
        case ArrayType():
            return "[" + ",".join(fitting(random_, type_.element_type, standard) for _ in range(random_.randrange(4))) + "]"
        case MapType():
            items = [f'"{random_.choice("123")}":{fitting(random_, type_.value_type, standard)}' for _ in range(random_.randrange(3))]
            return "{" + ", ".join(items) + "}"
        case RowType():
            return fitting_object(random_, type_, standard)
        case _:
            return random_.choice(LITERALS[type(type_).__name__]).replace("~", standard)


def fitting_object(random_: random.Random, row_type: RowType, standard: str) -> str:
    space = random_.choice(["", "", "", " "])
    members = [
        f'{space}"{field.name}":{space}{fitting(random_, field.type, standard)}' for field in row_type.fields if random_.random() > 0.05
    ]
    if random_.random() < 0.1:
        members.insert(random_.randrange(len(members) + 1), f'"{random_.choice(["other", "c", "a1", "é"])}":{json_value(random_)}')
    if random_.random() < 0.02:
        members.append(random_.choice(['"a":1', '"c0":null']))
    return "{" + ",".join(members) + "}"


MOMENTS = [f"2020-02-{day}~{time}" for day in ("28", "29", "30") for time in ("12:34:56", "12:34:56.5", "23:59:59.123456789", "12:34")]
NUMBERS = ["1", "-5", "0", "127", "1.5", '"7"', "1e2", "2147483648"]
TEXT_LITERALS = ['"x"', '""', '"é😀"', r'"\u00e9\n"', r'"\ud83d\ude00"', r'"\ud83d"', "1.50", "[1]", r'"\"a\":1"']
LITERALS = {
    **{name: ["1", "2", "-3", "100", *NUMBERS] for name in ("TinyIntType", "SmallIntType", "IntType", "BigIntType")},
    **{name: ["1.5", "-0.0", "1e400", '"NaN"', *NUMBERS] for name in ("FloatType", "DoubleType")},
    "DecimalType": ["1.25", "12.345", '"3.5"', "999.995", "1e1", "123456", "-0.005"],
    **{name: [*(f'"{moment}"' for moment in MOMENTS), '"2020-02-29"', '"2019-02-29"', "1"] for name in ("TimestampType", "DateType")},
    "LocalZonedTimestampType": [f'"{moment}Z"' for moment in MOMENTS],
    "TimeType": ['"12:34:56"', '"12:34:56.789"', '"24:00:00"', '"12:34"'],
    **{name: ['"YQ=="', '"YWI="', '"YWJj"', '""', '"YQ"'] for name in ("VarBinaryType", "BinaryType")},
    "BooleanType": ["true", "false", '"true"', "0"],
    **dict.fromkeys(("VarCharType", "CharType"), TEXT_LITERALS),
    "MultisetType": ['{"a":1}', "{}"],
}


def one_line(text: str) -> bytes:
    """Returns the text without line ends; one at its end would be a part of the line end in a block, and of the text in a message."""
    return text.replace("\n", " ").rstrip("\r").encode()


def documents(random_: random.Random, row_type: RowType, standard: str) -> list[bytes | None]:
    lines: list[bytes | None] = []
    for _ in range(random_.choice([1, 3, 20, 150])):
        text = fitting_object(random_, row_type, standard)
        if random_.random() < 0.02:
            text = mutated(random_, text, '"{}[],:\r\\1eN')
        lines.append(one_line(text))
        if random_.random() < 0.02:
            lines.append(random_.choice([b"", b" ", b"{", b"garbage", b'{"a":NaN}', b"[]", b"[{},{}]", b'{"c0":"\xff"}', b"{}{}", b"1"]))
    return lines


def similar_documents(random_: random.Random, row_type: RowType, standard: str) -> list[bytes | None]:
    """Returns lines that mostly have the members of one line, in the same order and with the same blanks."""
    first, space = random_.sample(row_type.fields, len(row_type.fields)), random_.choice(["", " "])
    other = f',{space}"z":{space}' if random_.random() < 0.3 else None
    lines: list[bytes | None] = []
    for _ in range(random_.choice([1, 3, 40, 150])):
        members = f",{space}".join(f'"{field.name}":{space}{fitting(random_, field.type, standard)}' for field in first)
        text = (
            "{" + members + ("" if other is None else other + random_.choice(["1", "-0.5", '"x"', "null", "007", "tru", "{}", "[1]"])) + "}"
        )
        if random_.random() < 0.03:
            text = mutated(random_, text, '"{}[],:\r\\1eN.0-')
        lines.append(one_line(text))
    return lines


@pytest.mark.parametrize("options", [{}, {"ignore_errors": True}, {"fail_on_missing": True}, {"forms": JSON_ISO, "ignore_errors": True}])
def test_documents_are_read_together_as_one_by_one(random_: random.Random, options: dict[str, Any]) -> None:
    forms = options.get("forms", JSON_SQL)
    for _ in range(ROUNDS // 40):
        row_type = row_of(random_, [*JSON_TYPES, *NESTED_TYPES, *NESTED_TYPES])
        rows = JsonRows(row_type, "json", fewest_by_template=random_.choice([1, 2, 10, 200]), **options)
        for _ in range(3):  # the parser remembers what it has read
            lines = random_.choice([documents, similar_documents])(
                random_, row_type, random_.choice(["T", " "]) if random_.random() < 0.1 else forms.middle
            )
            ignored, expected = Ignored(), Ignored()
            parser = LineParser(
                row_type,
                "json",
                ignored=expected if options.get("ignore_errors") else None,
                fail_on_missing=options.get("fail_on_missing", False),
                forms=forms,
            )

            def one_by_one(parser: LineParser = parser, lines: list[bytes | None] = lines) -> Any:
                columns, positions = parser.parse(lines, lambda position: f"line {position}")
                return columns, positions

            def together(rows: JsonRows = rows, lines: list[bytes | None] = lines, ignored: Ignored = ignored) -> Any:
                block = b"".join((line or b"") + b"\n" for line in lines)
                columns, count = rows.parse_block(block, lambda position: f"line {position}", ignored)
                return columns, list(range(count))

            def as_messages(rows: JsonRows = rows, lines: list[bytes | None] = lines) -> Any:
                columns, positions = rows.parse_messages(pa.array(lines, pa.binary()), lambda position: f"line {position}", Ignored())
                return columns, positions.to_pylist()

            reference = outcome(one_by_one)
            found = outcome(together)
            assert found == reference or (found[0], found[2]) == (reference[0], reference[2]), (lines, str(row_type))
            assert str(ignored) == str(expected)
            assert outcome(as_messages) == reference, (lines, str(row_type))


def value_of(scalar: pa.Scalar) -> Any:
    """Returns the Python value; times as numbers, because Python has no nanoseconds."""
    if not scalar.is_valid:
        return None
    if pa.types.is_struct(scalar.type):
        return [value_of(field) for field in scalar.values()]
    if pa.types.is_list(scalar.type) or pa.types.is_map(scalar.type):
        return [value_of(element) for element in scalar.values]
    return scalar.value if pa.types.is_temporal(scalar.type) else scalar.as_py()


def outcome(read: Callable[[], Any]) -> Any:
    """Returns the values and positions that are read, or the error."""
    try:
        columns, positions = read()
    except TableRuntimeException as error:
        return str(error)
    for column in columns:
        column.validate(full=True)
    return (
        repr([[value_of(scalar) for scalar in column] for column in columns]),
        positions,
        [c.type for c in columns],
    )


def test_blocks_of_json_are_read_at_once_as_they_are_line_by_line(random_: random.Random) -> None:
    for _ in range(ROUNDS):
        row_type = row_of(random_, JSON_TYPES)
        block = json_text(random_, len(row_type.fields)).encode()

        def read(row_type: RowType = row_type, block: bytes = block) -> Any:
            return LineParser(row_type, "json").parse(block.split(b"\n"), lambda position: f"line {position}")[0], None

        def together(row_type: RowType = row_type, block: bytes = block) -> Any:
            return JsonRows(row_type, "json").parse_block(block, lambda position: f"line {position}", Ignored())[0], None

        assert outcome(together) == outcome(read), (block, str(row_type))
