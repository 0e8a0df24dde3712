"""Each member of PyFlink's Table API is called: the files in ``pyflink_calls`` have an expression for each, or the message of its refusal.

A file has sections, one for each class. ``* statement`` prepares the calls below it. ``member: expression`` must not be false.
``member !! text: expression`` must raise an error with the text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from corpus import NOT_FOUND, corpus_folder

from table_api import DataTypes, EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from table_api.module import HiveModule
from table_api.types import UserDefinedType
from table_api.udf import (
    AggregateFunction,
    AsyncScalarFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)
from table_common.exceptions import TableError

FOLDER = corpus_folder()
CALLS = Path(__file__).parent / "pyflink_calls"
SAME = {
    "table.Expression": "expression.Expression",
    "catalog.Column": "catalog.PhysicalColumn",
    "catalog.Constraint": "catalog.UniqueConstraint",
}
"""Classes with the members of another one."""
REFUSED = ("catalog.HiveCatalog", "catalog.JdbcCatalog")
"""Classes that raise an error that names the replacement when an object is made."""
OF_OTHER_PLACES = {"as_argument", "asc", "desc", "alias", "start", "end", "rowtime", "proctime", "over"}
"""Methods whose result is no column of select: arguments, sort keys, and what needs a window."""
MODULES = ("table_api", "table_api.common", "table_api.catalog", "table_api.expressions", "table_api.window", "table_api.udf")


class Summed(AggregateFunction[Any, Any]):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value

    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= value

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        accumulator[0] += sum(other[0] for other in accumulators)

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]

    def get_accumulator_type(self) -> Any:
        return DataTypes.ARRAY(DataTypes.BIGINT())

    def get_result_type(self) -> Any:
        return DataTypes.BIGINT()


class Doubled(TableAggregateFunction[Any, Any]):
    create_accumulator = Summed.create_accumulator
    accumulate = Summed.accumulate
    retract = Summed.retract
    merge = Summed.merge
    get_accumulator_type = Summed.get_accumulator_type
    get_result_type = Summed.get_result_type

    def emit_value(self, accumulator: Any) -> Iterator[Any]:
        yield accumulator[0]
        yield accumulator[0]


class PlusOne(ScalarFunction):
    def eval(self, value: int) -> int:
        return value + 1


class LaterPlusOne(AsyncScalarFunction):
    async def eval(self, value: int) -> int:
        return value + 1


class Twice(TableFunction[Any]):
    def eval(self, value: int) -> Iterator[int]:
        yield value
        yield value


class PointType(UserDefinedType):
    @classmethod
    def sql_type(cls) -> Any:
        return DataTypes.ARRAY(DataTypes.DOUBLE())

    def serialize(self, obj: Any) -> Any:
        return list(obj)

    def deserialize(self, datum: Any) -> Any:
        return tuple(datum)


def row_of_every_type() -> tuple[Any, ...]:
    return ("abc", 1, 0.5, True, datetime(2024, 5, 1, 10), date(2024, 5, 1), [1, 2], {"k": "v"}, (1, "q"), b"a", '{"a": 1}')


def types_of_every_type() -> Any:
    types = {
        "s": "STRING",
        "i": "INT",
        "d": "DOUBLE",
        "bl": "BOOLEAN",
        "ts": "TIMESTAMP(3)",
        "dt": "DATE",
        "a": "ARRAY<INT>",
        "m": "MAP<STRING, STRING>",
        "r": "ROW<p INT, q STRING>",
        "b": "BYTES",
        "j": "STRING",
    }
    return DataTypes.ROW([DataTypes.FIELD(name, DataTypes.of(type_)) for name, type_ in types.items()])


def run(table: Any) -> list[tuple[Any, ...]]:
    with table.execute().collect() as rows:
        return sorted((tuple(row) for row in rows), key=repr)


def sections() -> dict[str, list[str]]:
    """Returns the lines of each class, by its name without the module."""
    found: dict[str, list[str]] = {}
    for file in sorted(CALLS.glob("*.txt")):
        name = {"expression": "Expression", "expressions": "expressions"}.get(file.stem, "")
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                name = line.strip("[]")
            elif line:
                found.setdefault(name, []).append(line)
    return found


def split(line: str) -> tuple[str, str | None, str]:
    """Returns member, expected message and expression of a line."""
    before, _, expression = line.partition(": ")
    member, _, message = before.partition(" !! ")
    return member, message or None, expression


@pytest.fixture
def names(tmp_path: Path) -> Iterator[dict[str, Any]]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with StreamTableEnvironment.create(environment_settings=settings) as t_env:
        t_env.get_config().set("table.local-time-zone", "UTC")
        found: dict[str, Any] = {}
        for module in map(import_module, MODULES):
            found |= {name: getattr(module, name) for name in module.__all__}
        yield {
            **found,
            **{value.__name__: value for value in (Summed, Doubled, PlusOne, LaterPlusOne, Twice, PointType, HiveModule)},
            **{value.__name__: value for value in (row_of_every_type, types_of_every_type, run)},
            "asyncio": asyncio,
            "timedelta": timedelta,
            "t_env": t_env,
            "folder": str(tmp_path),
            "resolved": lambda text: _resolved(t_env, text),
            "plus_one": udf(PlusOne(), result_type="BIGINT"),
            "twice": udtf(Twice(), result_types="BIGINT"),
            "summed": udaf(Summed(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"),
            "doubled": udtaf(Doubled(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"),
        }


def _resolved(t_env: TableEnvironment, text: str) -> Any:
    from table_api.operations import ProjectQueryOperation

    operation: Any = t_env.sql_query(f"SELECT {text} AS x").query_operation
    assert isinstance(operation, ProjectQueryOperation)
    return operation.projection[0]


@pytest.mark.filterwarnings("ignore::table_common.configuration.known_keys.ConfigurationWarning")
@pytest.mark.parametrize("class_", sorted(sections()))
def test_members_are_called(class_: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    failures = []
    for line in sections()[class_]:
        if line.startswith("* "):
            exec(line[2:], names)
            continue
        member, message, expression = split(line)
        try:
            value = eval(expression, names)
            if value is False or message is not None or (class_ == "Expression" and not isinstance(value, names["Expression"])):
                failures.append(f"{member}: {expression} is {value!r}")
        except Exception as error:
            if message is None or not isinstance(error, TableError) or message not in str(error):
                failures.append(f"{member}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(("class_", "arguments"), [("HiveCatalog", ("c",)), ("JdbcCatalog", ("c", "d", "user", "password", "url"))])
def test_catalogs_of_java_are_refused(class_: str, arguments: tuple[str, ...]) -> None:
    with pytest.raises(TableError, match="hint: "):
        getattr(import_module("table_api.catalog"), class_)(*arguments)


def test_expressions_are_resolved(names: dict[str, Any]) -> None:
    lines = sections()["Expression"]
    for line in lines:
        if line.startswith("* "):
            exec(line[2:], names)
    failures = []
    for member, _, expression in map(split, (line for line in lines if not line.startswith("* "))):
        if member not in OF_OTHER_PLACES:
            try:
                names["table"].select(eval(expression, names).alias("x") if member != "flatten" else eval(expression, names))
            except TableError as error:
                failures.append(f"{member}: {error}")
    assert not failures, "\n".join(failures)


@pytest.mark.skipif(FOLDER is None, reason=NOT_FOUND)
def test_at_least_98_percent_of_the_members_are_called() -> None:
    assert FOLDER is not None
    listed: dict[str, dict[str, Any]] = json.loads((FOLDER / "pyflink_api.json").read_text(encoding="utf-8"))
    called = {name: {split(line)[0] for line in lines if not line.startswith("* ")} for name, lines in sections().items()}
    missing, count = [], 0
    for path, description in listed.items():
        module, class_ = SAME.get(path, path).split(".")
        if path in REFUSED:
            continue
        members = description.get("members", ())
        found = called.get(class_, set()) | (called["TableEnvironment"] if class_ == "StreamTableEnvironment" else set())
        if module == "expressions":
            members, found = [class_], called["expressions"]
        count += len(members)
        missing += [f"{path}.{member}" for member in members if member not in found]
    print(f"{count - len(missing)} of {count} members are called; not called: {missing}")
    assert len(missing) <= 0.02 * count, missing
