"""Lines of JSON that are decoded by their templates; the line parser is the reference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.line_parser import LineParser
from table_runtime.formats.json.rows import JsonRows
from table_runtime.formats.json.shapes import ShapeParser
from table_runtime.formats.skipped_rows import Ignored
from table_runtime.formats.text.forms import JSON_ISO, JSON_SQL


def row_type_of(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def shapes(fewest: int = 1, *, find_missing: bool = False, **columns: str) -> ShapeParser:
    return ShapeParser(row_type_of(columns), JSON_SQL, find_missing=find_missing, fewest=fewest)


def rows(parser: ShapeParser, lines: list[bytes | None]) -> dict[int, list[Any]]:
    """Returns the decoded rows by the positions of their lines."""
    found: dict[int, list[Any]] = {}
    for part in parser.parse(pa.array(lines, pa.binary())):
        values = [column.to_pylist() for column in part.columns]
        found |= {int(position): [column[index] for column in values] for index, position in enumerate(part.positions) if position >= 0}
    return found


def test_lines_with_other_values_have_the_same_template() -> None:
    parser = shapes(a="INT", b="STRING")
    lines: list[bytes | None] = [b'{"a":1,"b":"x"}', b'{"a":-20,"b":""}', b'{"a":null,"b":"\xc3\xa9"}']
    assert rows(parser, lines) == {0: [1, "x"], 1: [-20, ""], 2: [None, "é"]}


@pytest.mark.parametrize(
    "line",
    [
        *(None, b"", b"{}", b'{"a":1,"b":"x"', b'{"a":1,"b":"x"}}', b'{"a":1,"c":"x"}', b'{"a": 1,"b":"x"}', b'{"a":,"b":"x"}', b'{"a":1,"b":x"}'),
        *(b'{"a":1,"b":"x\\n"}', b'{"a":1,"b":"x\t"}', b'{"a":1,"b":"\xff"}', b'{"a":1,"b":"\x00"}', b'{"a":1"b":"x"}', b'{"a":1,"b":"x",}'),
        *(b'{"a":%s,"b":"x"}' % number for number in (b"1.5", b"007", b"0x7", b"+1", b"tru", b"nul", b"nulL", b"3000000000", b"1 ", b"-", b"1,2")),
    ],
)  # fmt: skip
def test_lines_that_are_left_to_the_caller(line: bytes | None) -> None:
    good = b'{"a":1,"b":"x"}'
    assert rows(shapes(2, a="INT", b="STRING"), [good, line, good, good]) == {position: [1, "x"] for position in (0, 2, 3)}


def test_members_that_are_not_read_must_be_json() -> None:
    lines: list[bytes | None] = [b'{"x":%s,"a":1}' % value for value in (b"2", b"true", b"null", b"tru", b"01", b"nan")]
    assert sorted(rows(shapes(2, a="INT"), lines)) == [0, 1, 2]


def test_equal_keys_of_a_map_are_left_to_the_caller() -> None:
    lines: list[bytes | None] = [b'{"m":{"a":1,"b":2}}', b'{"m":{"a":1,"a":2}}', b'{"m":{"c":3,"":4}}']
    assert rows(shapes(m="MAP<STRING, INT>"), lines) == {0: [[("a", 1), ("b", 2)]], 2: [[("c", 3), ("", 4)]]}


def test_lines_of_few_are_left_to_the_caller_and_a_call_with_little_success_is_followed_by_a_pause() -> None:
    parser = shapes(3, a="INT")
    assert rows(parser, [b'{"a":1}', b'{"a":2}']) == {}
    others: list[bytes | None] = [b"{%s}" % (number * b" ") for number in range(8)]
    assert len(rows(parser, [*[b'{"a":1}'] * 3, *others])) == 3
    assert rows(parser, [b'{"a":1}'] * 3) == {}
    for _ in range(7):
        rows(parser, [b'{"a":1}'] * 3)
    assert len(rows(parser, [b'{"a":1}'] * 3)) == 3


def test_slices_of_messages_and_messages_of_no_bytes() -> None:
    lines = pa.array([b"??", b'{"a":1}', b'{"a":2}', b"??"], pa.binary()).slice(1, 2)
    (part,) = shapes(a="INT").parse(lines)
    assert (part.columns[0].to_pylist(), part.positions.tolist()) == ([1, 2], [0, 1])
    assert shapes(a="INT").parse(pa.array([None, b""], pa.binary())) == []


def test_more_lines_than_are_processed_at_once() -> None:
    lines = [b'{"a":%d}' % number if number % 3 else b'{"b":"x","a":%d}' % number for number in range(40_000)]
    found = rows(shapes(200, a="INT"), list(lines))
    assert found == {number: [number] for number in range(40_000)}


TYPES = {
    "BOOLEAN": ["true", "false", '"true"', "1"],
    "INT": ["1", "-5", "0", "-0", "2147483648", "1.5", '"7"', "1e2", "01", "0x10"],
    "BIGINT": ["9223372036854775807", "-12", "9223372036854775808"],
    "FLOAT": ["1.5", "0.1", "-0.0", "1e400", "1.", ".5", "1.e5", "16777217.000000001"],
    "DOUBLE": ["1.5", "5e-324", "-0.0", "1E+5", "NaN", "Infinity", "-inf", '"NaN"', "5.E1"],
    "DECIMAL(5, 2)": ["1.25", "12.345", '"3.5"', "999.995", "1e1", "1\u0661", "-0.005"],
    "STRING": ['"x"', '""', '"é😀"', "1.50", "true", "01", r'"\u00e9"', "[1]"],
    "BYTES": ['"YQ=="', '"YQ"', '""'],
    "DATE": ['"2020-02-29"', '"2019-02-29"', '"0000-01-01"', "1"],
    "TIME(3)": ['"12:34:56.789"', '"24:00:00"', '"12:34:56"'],
    "TIMESTAMP(3)": [f'"2020-02-28~12:34:56{tail}"' for tail in ("", ".5", ".123456", ".", "Z", "x")] + ['"0000-01-01~00:00:00"'],
    "TIMESTAMP_LTZ(6)": [f'"2020-02-28~12:34:56{tail}"' for tail in ("Z", ".5Z", ".123456Z", "", "ZZ")],
    "TIMESTAMP(9)": ['"2020-02-28~12:34:56.123456789"', '"9999-12-31~23:59:59"'],
}
NESTED = ["ROW<f {}>", "ARRAY<{}>", "MAP<STRING, {}>", "ARRAY<ROW<f {}, g INT>>", "ROW<f ROW<f {}>>", "{}", "{}"]


def plain(scalar: pa.Scalar) -> str:
    """Returns the text of a value; times as numbers, because Python has no nanoseconds."""
    if not scalar.is_valid:
        return "NULL"
    if pa.types.is_struct(scalar.type):
        return str([plain(field) for field in scalar.values()])
    if pa.types.is_list(scalar.type) or pa.types.is_map(scalar.type):
        return str([plain(element) for element in scalar.values])
    return repr(scalar.value if pa.types.is_temporal(scalar.type) else scalar.as_py())


def value(random_: random.Random, shape: str, scalar: str, middle: str) -> str:
    if random_.random() < 0.03:
        return "null"
    if shape == "{}":
        # Mostly the first values, which all readers accept.
        values = TYPES[scalar]
        return values[min(int(random_.expovariate(0.9)), len(values) - 1)].replace("~", middle)
    inner = value(random_, "ROW<f {}>" if shape == "ROW<f ROW<f {}>>" else "{}", scalar, middle)
    match shape.split("<")[0]:
        case "ROW":
            return f'{{"f":{inner}}}'
        case "MAP":
            return f'{{"{random_.choice("ab")}":{inner},"{random_.choice("bcd")}":{inner}}}'
        case _:
            return f'[{{"f":{inner},"g":1}}]' if "ROW" in shape else f"[{inner}]"


ROUNDS = 12


@pytest.mark.parametrize("options", [{}, {"ignore_errors": True}, {"fail_on_missing": True}, {"forms": JSON_ISO}])
def test_lines_are_decoded_as_by_the_line_parser(options: dict[str, Any]) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    middle = options.get("forms", JSON_SQL).middle
    decoded = 0
    for _ in range(ROUNDS):
        columns = [(random_.choice(NESTED), random_.choice(list(TYPES))) for _ in range(random_.randrange(1, 4))]
        row_type = row_type_of({f"c{number}": shape.format(scalar) for number, (shape, scalar) in enumerate(columns)})
        names = random_.sample(range(len(columns)), len(columns))
        lines = []
        for _ in range(60):
            members = [f'"c{number}":{value(random_, *columns[number], middle)}' for number in names]
            lines.append(("{" + ",".join(members) + "}").encode())
        forms, find_missing, ignores = (
            options.get("forms", JSON_SQL),
            options.get("fail_on_missing", False),
            options.get("ignore_errors", False),
        )
        counts = [Ignored() for _ in lines]
        expected = []
        for line, count in zip(lines, counts, strict=True):
            parser = LineParser(row_type, "json", ignored=count if ignores else None, fail_on_missing=find_missing, forms=forms)
            try:
                expected.append(parser.parse([line], str)[0])
            except TableRuntimeException as error:
                expected.append(error)
        # Whatever is decoded by a template is what the line parser returns.
        by_template = ShapeParser(row_type, forms, find_missing=find_missing, fewest=1, ignore_errors=ignores)
        for part in by_template.parse(pa.array(lines, pa.binary())):
            for index, position in enumerate(part.positions):
                if position < 0:
                    continue
                decoded += 1
                reference = expected[position]
                assert not isinstance(reference, Exception), (lines[position], str(row_type), reference)
                assert np.count_nonzero(part.lost == position) == counts[position].values, (lines[position], str(row_type))
                for array, other in zip(part.columns, reference, strict=True):
                    array.validate(full=True)
                    assert array.type == other.type
                    assert plain(array[index]) == plain(other[0]), (lines[position], str(row_type))
        if options.get("ignore_errors"):
            ignored, one_by_one = Ignored(), Ignored()
            together, count = JsonRows(row_type, "json", ignore_errors=True, fewest_by_template=1).parse_block(
                b"\n".join(lines), str, ignored
            )
            separate, positions = LineParser(row_type, "json", ignored=one_by_one).parse(lines, str)
            assert count == len(positions)
            assert [plain(item) for column in together for item in column] == [plain(item) for column in separate for item in column]
            assert str(ignored) == str(one_by_one)
    assert decoded > ROUNDS * 60 / 4


def test_numbers_of_positions_are_those_of_arrow() -> None:
    (part,) = shapes(a="INT").parse(pa.array([b'{"a":1}'], pa.binary()))
    assert part.positions.dtype == np.int32
