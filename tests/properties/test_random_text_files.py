"""Random and mutated JSON and CSV files have the same rows on both engines; the seed is printed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment

TYPES = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "DECIMAL(38, 18)", "CHAR(3)", "VARCHAR(3)"),
    *("STRING", "BINARY(2)", "BYTES", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(3)", "ARRAY<INT>"),
    *("ARRAY<DECIMAL(38, 10)>", "ROW<a INT, b STRING>"),
]
TEXTS = [
    *("1", "-5", "+1", "007", "0x1F", "99999999999", "1.5", "1.005", ".5", "1e2", "1e400", "-0", "1234567890123456789.0123456789"),
    *("", " ", "abc", "é", "true", "False", "nan", "NaN", "Infinity", "2020-01-01", "2020-1-1", "2020-02-30", "12:34:56", "12:34"),
    *("2020-01-01 12:34:56", "2020-01-01 12:34:56.1234567", "2020-01-01T12:34:56", "2020-01-01 12:34:56Z", "YQ==", "YQ", "1;2", "1;x"),
]


def json_line(random_: random.Random) -> str:
    fields = []
    for number in range(len(TYPES)):
        text = random_.choice(TEXTS)
        values = [f'"{text}"', f'"{text}"', f'["{text}", 1.5]', f'{{"a": 1, "b": "{text}"}}', "1e2", "-12.25", "1e400", "true", "null"]
        fields.append(f'"c{number}":{random_.choice(values)}')
    return mutated(random_, "{" + ",".join(fields) + "}")


USUAL: dict[tuple[str, ...], list[str]] = {
    ("BOOLEAN",): ["true", "false"],
    ("TINYINT", "SMALLINT", "INT", "BIGINT"): ["1", "-5", "100"],
    ("FLOAT", "DOUBLE"): ["1.5", "-0.25", "1e2", "0.1"],
    ("DECIMAL(10, 2)", "DECIMAL(38, 18)"): ["1.25", "-3", "1.005"],
    ("BINARY(2)", "BYTES"): ['"YWI="', '"YWJj"'],
    ("DATE",): ['"2020-02-29"', '"1969-12-31"'],
    ("TIME(3)",): ['"12:34:56"', '"12:34:56.789"'],
    ("TIMESTAMP(3)", "TIMESTAMP(6)"): ['"2020-01-01 12:34:56"', '"2020-01-01 12:34:56.123"'],
    ("TIMESTAMP_LTZ(3)",): ['"2020-01-01 12:34:56Z"'],
    ("ARRAY<INT>",): ["[1]", "[2]"],
    ("ARRAY<DECIMAL(38, 10)>",): ["[1.5]", "[-2]"],
    ("ROW<a INT, b STRING>",): ['{"a": 1, "b": "x"}', '{"a": null, "b": "é"}'],
}


def usual_json_line(random_: random.Random) -> str:
    """Returns a line that mostly differs from the others in its values only."""
    usual = {type_: texts for types, texts in USUAL.items() for type_ in types}
    values = [random_.choice(usual.get(type_, ['"x"', '"é"', '""'])) for type_ in TYPES]
    if random_.random() < 0.1:
        values[random_.randrange(len(values))] = random_.choice([*map('"{}"'.format, TEXTS), "null", "1e400", "007"])
    line = "{" + ",".join(f'"c{number}":{value}' for number, value in enumerate(values)) + "}"
    return mutated(random_, line) if random_.random() < 0.1 else line


def csv_line(random_: random.Random) -> str:
    fields = [random_.choice(TEXTS) for _ in TYPES]
    return mutated(random_, ",".join(f'"{field}"' if random_.random() < 0.2 else field for field in fields))


def mutated(random_: random.Random, line: str) -> str:
    if random_.random() < 0.8:
        return line
    at = random_.randrange(len(line) + 1)
    return line[:at] + random_.choice('",:{}[]\n\r 1') + line[at + random_.randrange(2) :]


def rows(env: TableEnvironment, path: Path, format_: str) -> list[str]:
    name = f"t_{format_}"
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(TYPES))
    env.execute_sql(
        f"CREATE TEMPORARY TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format_}', "
        f"'{format_}.ignore-parse-errors' = 'true')"
    )
    return sorted(map(repr, env.execute_sql(f"SELECT * FROM {name}").to_arrow().to_pylist()))


@pytest.mark.parametrize(("format_", "make_line"), [("json", json_line), ("json", usual_json_line), ("csv", csv_line)])
def test_random_files_have_the_same_rows_on_both_engines(
    spark: Any, tmp_path: Path, size: int, seed: int, format_: str, make_line: Any
) -> None:
    random_ = random.Random(seed)
    for number in range(3):
        lines = [make_line(random_) for _ in range(300 * size)]
        (tmp_path / f"f{number}").write_text("\n".join(lines))
    found = []
    for planner in ("arrow", "spark"):
        settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
        env = TableEnvironment.create(settings, external={"spark": spark} if planner == "spark" else {})
        found.append(rows(env, tmp_path, format_))
    assert found[0] == found[1]
    assert len(found[0]) > 100
