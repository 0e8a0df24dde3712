"""Both engines return equal results for random expressions over a small table of NULLs and boundary values.

Expressions are built from the registry: a function, arguments of random types that its inference takes, up to two calls deep. An
expression that one engine cannot run at all (its ``unsupported`` table) is left out; a failure while running must be one on both engines.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, TableException, ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TimeUnit,
    ValueLiteralExpression,
    infer_call,
)
from table_common.functions import FunctionDefinition, FunctionKind
from table_common.functions.builtin import BUILT_INS
from table_common.types import CharType, DoubleType, IntType, LogicalType, SymbolType, parse_logical_type
from table_testing.rounds import NIGHT

COLUMNS = {
    "i": "INT",
    "n": "INT NOT NULL",
    "l": "BIGINT",
    "d": "DOUBLE",
    "p": "DECIMAL(10, 2)",
    "s": "STRING",
    "b": "BOOLEAN",
    "t": "DATE",
    "ts": "TIMESTAMP(3)",
    "a": "ARRAY<INT>",
}
# A SELECT over VALUES, so that both engines get the same statement.
ROWS = [
    "1, 1, 10, 1.5e0, 2.50, 'abc', TRUE, DATE '2020-02-29', TIMESTAMP '2020-02-29 12:34:56.789', ARRAY[1, 2, 3]",
    "-7, 2, -3, -2.5e0, -0.05, 'Hello World', FALSE, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.250', ARRAY[5, CAST(NULL AS INT)]",
    "0, 3, 0, 0e0, 0.00, '', TRUE, DATE '2000-01-01', TIMESTAMP '2000-01-01 00:00:00.000', ARRAY[0]",
    "NULL, 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    "99999, 5, 5000000000, 12345.678e0, 99999.99, 'a,b,,c', FALSE, DATE '2024-12-30', TIMESTAMP '2024-12-30 23:59:59.999', ARRAY[3, 3, 1]",
    "12, 6, 1, 0.1e0, 1.25, ' 12 ', TRUE, DATE '1900-01-01', TIMESTAMP '1900-01-01 00:00:00.001', ARRAY[-1, 1]",
]
TABLE = (
    "SELECT "
    + ", ".join(f"CAST({name} AS {kind.removesuffix(' NOT NULL')}) AS {name}" for name, kind in COLUMNS.items())
    + f" FROM (VALUES {', '.join(f'({row})' for row in ROWS)}) AS v({', '.join(COLUMNS)})"
)
CONSTANTS: list[tuple[Any, LogicalType]] = [
    (2, IntType(nullable=False)),
    (1, IntType(nullable=False)),
    ("b", CharType(1, nullable=False)),
    (",", CharType(1, nullable=False)),
    (0.5, DoubleType(nullable=False)),
    (TimeUnit.DAY, SymbolType(nullable=False)),
    (TimeUnit.MONTH, SymbolType(nullable=False)),
    (TimeUnit.HOUR, SymbolType(nullable=False)),
]
REFUSED = "refused"
# Known differences, each with its reason.
_PATTERN = "a pattern made at random may be malformed, which one engine notices sooner than the other"
LEFT_OUT = {
    **dict.fromkeys(("DATE_FORMAT", "CONVERT_TZ", "TO_TIMESTAMP", "TO_TIMESTAMP_LTZ", "TO_DATE", "REGEXP_EXTRACT"), _PATTERN),
    **dict.fromkeys(("LIKE", "NOT_LIKE", "SIMILAR", "NOT_SIMILAR"), _PATTERN),
    "PRINTF": "Java's and Python's formats differ in rare letters",
    "CURRENT_WATERMARK": "belongs to streaming",
    "JSON": "stands only inside of constructors",
}


def usable_functions() -> list[FunctionDefinition]:
    from table_planner_spark.expressions.functions import SCALAR_FUNCTIONS
    from table_runtime.kernels import KERNELS

    return [
        f
        for f in BUILT_INS
        if f.kind is FunctionKind.SCALAR and f.is_deterministic and f in SCALAR_FUNCTIONS and f in KERNELS and f.name not in LEFT_OUT
    ]


class Builder:
    """Generates random expressions from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._functions = usable_functions()
        self._columns = [
            FieldReferenceExpression(name, parse_logical_type(kind.removesuffix(" NOT NULL")), 0, index)
            for index, (name, kind) in enumerate(COLUMNS.items())
        ]

    def call(self, depth: int) -> CallExpression:
        """Returns a call that the function's type inference accepts without casts."""
        while True:
            function = self._random.choice(self._functions)
            count = function.get_type_inference().input.argument_count
            high = count.maximum if count.maximum is not None else count.minimum + 2
            for _ in range(40):
                args = [self._argument(depth) for _ in range(self._random.randint(count.minimum, min(high, count.minimum + 2)))]
                made = self._typed(function, args)
                if made is not None:
                    return made

    def _argument(self, depth: int) -> ResolvedExpression:
        draw = self._random.random()
        if depth > 1 and draw < 0.35:
            return self.call(depth - 1)
        if draw < 0.8:
            return self._random.choice(self._columns)
        return ValueLiteralExpression(*self._random.choice(CONSTANTS))

    def _typed(self, function: FunctionDefinition, args: list[ResolvedExpression]) -> CallExpression | None:
        try:
            inferred = infer_call(function, args)
        except ValidationException:
            return None
        return CallExpression(function, tuple(args), inferred.output_type)


def environment(planner: str, external: dict[str, object]) -> TableEnvironment:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build()
    env = TableEnvironment.create(settings, external=external)
    env.get_config().set("table.local-time-zone", "UTC")
    return env


def evaluate(env: TableEnvironment, texts: list[str]) -> list[Any]:
    """Returns the columns as lists of values, or the class of the error; if the statement fails, expressions are evaluated one by one."""
    columns = ", ".join(f"{text} AS e{number}" for number, text in enumerate(texts))
    try:
        table = env.sql_query(f"SELECT n, {columns} FROM ({TABLE})").to_arrow().sort_by("n")
    except TableError as error:
        if len(texts) == 1:
            # Unsupported functions are in the engine's table; other failures must occur on both engines.
            return [REFUSED if isinstance(error, TableException) else "failed"]
        middle = len(texts) // 2
        return evaluate(env, texts[:middle]) + evaluate(env, texts[middle:])
    return [[str(table.schema.field(i + 1).type), *table.column(i + 1).to_pylist()] for i in range(len(texts))]


def same(left: Any, right: Any) -> bool:
    if REFUSED in (left, right):
        return True
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(left) and math.isnan(right))
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    return bool(left == right)


@pytest.fixture(scope="module")
def engines(spark: Any) -> Any:
    made = [environment("arrow", {}), environment("spark", {"spark": spark})]
    yield made
    for env in made:
        env.close()


def test_engines_agree_on_random_expressions(engines: list[TableEnvironment], seed: int, size: int) -> None:
    builder = Builder(seed)
    texts = list(dict.fromkeys(builder.call(depth=2).as_serializable_string() for _ in range((240 if NIGHT else 30) * size)))
    differing = []
    for start in range(0, len(texts), 30):
        chosen = texts[start : start + 30]
        embedded, on_spark = (evaluate(env, chosen) for env in engines)
        differing += [
            f"{text}\n    embedded: {a}\n    spark:    {b}" for text, a, b in zip(chosen, embedded, on_spark, strict=True) if not same(a, b)
        ]
    assert not differing, f"PROPERTY_SEED={seed}: {len(differing)} of {len(texts)} differ\n" + "\n".join(differing)
