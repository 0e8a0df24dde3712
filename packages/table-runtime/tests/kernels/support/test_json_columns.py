"""JSON paths over columns give what they give document by document."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import json as fn
from table_common.types import BooleanType, DoubleType, IntType, VarCharType
from table_common.types.symbols import JsonBehavior, JsonWrapper
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.json_documents import documents
from table_runtime.kernels.support import json_columns
from table_testing.rounds import rounds

CONTEXT = EvaluationContext(time_zone="UTC", query_start=0)
CALLS = len(rounds(1_200))
"""Each for a column of about ten documents."""
NULL, ERROR, DEFAULT = JsonBehavior.NULL, JsonBehavior.ERROR, JsonBehavior.DEFAULT
NONE = (None, "STRING")
NAMES = ("a", "b", "c d", "é", "")
PATHS = (
    *("$.a", "lax $.a", "$.a.b", "lax $.b.a", "$.a[0]", "lax $.a[1]", "lax $.b[-1]", "$['c d']", "lax $.é", "lax $['']", "$", "lax $"),
    *("$[0]", "lax $[1].a", "lax $.*", "$.a[*]", "lax $..a", "lax $.b[0:2]", "lax $['a','b']", "lax $..*"),
)
FUNCTIONS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    *((fn.JSON_EXISTS, ()), (fn.JSON_EXISTS, (JsonBehavior.UNKNOWN,)), (fn.JSON_EXISTS, (JsonBehavior.TRUE,)), (fn.JSON_EXISTS, (ERROR,))),
    (fn.JSON_VALUE, ()),
    (fn.JSON_VALUE, (VarCharType(), DEFAULT, "empty", DEFAULT, "error")),
    (fn.JSON_VALUE, (VarCharType(), ERROR, NONE, NULL, NONE)),
    (fn.JSON_VALUE, (VarCharType(), NULL, NONE, ERROR, NONE)),
    *((fn.JSON_VALUE, (type_, NULL, NONE, NULL, NONE)) for type_ in (IntType(), DoubleType(), BooleanType())),
    (fn.JSON_VALUE, (IntType(), DEFAULT, -1, DEFAULT, -2)),
    (fn.JSON_QUERY, ()),
    *((fn.JSON_QUERY, (VarCharType(), wrapper, NULL, JsonBehavior.EMPTY_OBJECT)) for wrapper in JsonWrapper),
    (fn.JSON_QUERY, (VarCharType(), JsonWrapper.WITHOUT_ARRAY, JsonBehavior.EMPTY_ARRAY, ERROR)),
)


class Documents:
    """Random documents: a structure with one kind of value at each place, several of them mixed with broken and odd ones."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random_

    def structure(self, levels: int) -> Callable[[], str]:
        """Returns a function that writes documents of one structure with other values."""
        kind = self._random.random()
        if levels == 0 or kind < 0.35:
            return self._random.choice((self._number, self._string, self._constant, lambda: str(self._random.randrange(100))))
        space = self._random.choice(("", "", " "))
        parts = [self.structure(levels - 1) for _ in range(self._random.randrange(4))]
        if kind < 0.55:
            return lambda: f"[{space}{f',{space}'.join(part() for part in parts)}]"
        names = [json.dumps(self._random.choice(NAMES), ensure_ascii=False) for _ in parts]  # a name may occur twice
        return lambda: "{" + f",{space}".join(f"{name}{space}:{part()}" for name, part in zip(names, parts, strict=True)) + "}"

    def column(self) -> list[str | None]:
        structures = [self.structure(3) for _ in range(self._random.randrange(1, 4))]
        texts: list[str | None] = []
        for _ in range(self._random.randrange(4, 20)):
            text = self._random.choice(structures)()
            texts.append(None if self._random.random() < 0.03 else self._damaged(text) if self._random.random() < 0.05 else text)
        return texts

    def _number(self) -> str:
        one = self._random
        return one.choice(
            (
                lambda: str(one.randrange(-1000, 10 ** one.randrange(1, 25))),
                lambda: f"{one.randrange(-20, 20)}.{one.randrange(10 ** one.randrange(1, 9))}",
                lambda: f"{one.choice(('', '-'))}0.{'0' * one.randrange(8)}{one.randrange(100)}",
                lambda: one.choice(
                    ("-0", "0", "1e5", "1E-7", "-1.50e+3", "1.10", "2147483648", "-2147483649", "0.0", "-0.0", "1e400", "1" * 30)
                ),
            )
        )()

    def _string(self) -> str:
        texts = (
            "",
            "x",
            "é",
            '"',
            "\\",
            "\n",
            "null",
            "true",
            "TRUE",
            "12",
            " 12 ",
            "1_0",
            "0x1F",
            "1e3",
            "nan",
            "{}",
            "[1]",
            "a, b",
            "}",
            ":",
        )
        return json.dumps(self._random.choice(texts) + self._random.choice(("", "", "z")), ensure_ascii=self._random.random() < 0.2)

    def _constant(self) -> str:
        return self._random.choice(("null", "true", "false", "null", "1", '"s"'))

    def _damaged(self, text: str) -> str:
        at = self._random.randrange(len(text))
        return (
            text[:at]
            + self._random.choice(("", '"', ",", " ", "x", "\x01", "}", "]", "0", "null", "\\", "\u2028"))
            + text[at + self._random.randrange(2) :]
        )


def _outcome(expressions: Any, function: Any, texts: list[str | None], args: tuple[Any, ...]) -> Any:
    call = expressions.call(function, expressions.column(0, "STRING"), *args)
    try:
        (array,) = Evaluator([call], CONTEXT).evaluate(pa.record_batch({"f0": pa.array(texts, pa.string())}))
    except (TableRuntimeException, pa.ArrowInvalid, OverflowError) as error:
        return f"{type(error).__name__}: {error}"
    array.validate(full=True)
    return array.to_pylist()


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FEWEST", 2)
    monkeypatch.setattr(json_columns, "_FEWEST", 2)
    monkeypatch.setattr(json_columns, "_ROWS_AT_ONCE", 12)


@pytest.mark.usefixtures("_few")
def test_random_documents(expressions: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = time.time_ns()
    print(f"seed {seed}")
    one = random.Random(seed)
    source = Documents(one)
    values = 0
    for number in range(CALLS):
        if number % 10 == 0:
            texts = source.column()
        function, more = one.choice(FUNCTIONS)
        args = (one.choice(PATHS), *more)
        together = _outcome(expressions, function, texts, args)
        with monkeypatch.context() as patch:
            patch.setattr(json_columns, "_FEWEST", len(texts) + 1)
            alone = _outcome(expressions, function, texts, args)
        assert together == alone, (seed, number, function.name, args, texts)
        values += isinstance(together, list) and any(value is not None for value in together)
    assert values > CALLS / 4


@pytest.mark.parametrize("texts", [[f'{{"a":{n}}}' for n in range(600)], ['{"a":1}', '{"a":2}'] * 300])
def test_documents_are_evaluated_together(expressions: Any, monkeypatch: pytest.MonkeyPatch, texts: list[str | None]) -> None:
    """Also when few are distinct; then these are evaluated once."""
    calls: list[str] = []
    monkeypatch.setattr("table_runtime.kernels.json._find", lambda text, path: calls.append(text) or [text])
    assert _outcome(expressions, fn.JSON_VALUE, texts, ("$.a",))[-1] is not None
    assert len(calls) <= 5


def test_the_error_is_that_of_the_first_document(expressions: Any) -> None:
    texts: list[str | None] = [f'{{"{name}":{number}}}' for name in "ba" for number in range(500)]
    outcome = _outcome(expressions, fn.JSON_VALUE, ['{"a":1}', "broken", *texts], ("$.a", VarCharType(), NULL, NONE, ERROR, NONE))
    assert "'broken'" in outcome
