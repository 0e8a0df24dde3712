"""The callables of tables: which arguments they take, which are refused, and how their failures are told."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.connectors.python.references import register_callable, unregister_callable
from table_runtime.connectors.python.user_code import UserCode, row_taker, rows_giver


@pytest.fixture
def register() -> Iterator[Callable[[object], str]]:
    def add(target: object) -> str:
        register_callable("mine", target)
        return "mine"

    yield add
    unregister_callable("mine")


class Asks:
    def __call__(self, *, limit: int | None, columns: list[str], other: int = 7) -> Any:
        return ("called", limit, columns, other)


def takes_all(*args: Any, **kwargs: Any) -> Any:
    return (args, kwargs)


def positional(limit: int | None = None, /) -> Any:
    return limit


@pytest.mark.parametrize(
    ("target", "arguments", "result"),
    [
        (lambda: "rows", set(), "rows"),
        (lambda columns: columns, {"columns"}, ["a"]),
        (lambda options: options, {"options"}, {}),
        (lambda options, filters=None: (options, filters), {"options", "filters"}, ({}, "f")),
        (Asks(), {"limit", "columns"}, ("called", 3, ["a"], 7)),
        (functools.partial(lambda x, limit: (x, limit), 5), {"limit"}, (5, 3)),
        (takes_all, set(), ((), {})),
        (positional, set(), None),
        (dict, set(), {}),
        ([(1, 2)], set(), [(1, 2)]),
    ],
)
def test_a_callable_gets_the_arguments_that_its_signature_names(
    register: Callable[[object], str], target: Any, arguments: set[str], result: Any
) -> None:
    code = rows_giver(register(target), "c.d.t", {})
    assert code.arguments == arguments
    assert code.rows({"columns": ["a"], "filters": "f", "limit": 3}) == result


def test_a_callable_gets_a_copy_of_its_options(register: Callable[[object], str]) -> None:
    code = rows_giver(register(lambda options: options.pop("a")), "c.d.t", {"a": "1"})
    assert [code.rows({}), code.rows({})] == ["1", "1"]


async def coroutine() -> Any:
    return []


async def asynchronous_generator() -> Any:
    yield ()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (lambda rows: rows, "'mine.rows.' needs the argument 'rows', which is not available"),
        (lambda columns, rows: rows, "needs the argument 'rows'"),
        (coroutine, "'mine' is a coroutine"),
        (iter([(1,)]), "list_iterator, which can be read only once"),
        ("text", "of the class str, which is neither a callable nor an iterable of rows"),
        (b"bytes", "of the class bytes, which is neither"),
        (7, "of the class int, which is neither"),
        (None, "of the class NoneType, which is neither"),
    ],
)
def test_what_cannot_give_rows_is_refused(register: Callable[[object], str], target: Any, expected: str) -> None:
    with pytest.raises(ValidationException, match=rf"^The option 'callable' of table c\.d\.t: .*{expected}"):
        rows_giver(register(target), "c.d.t", {})


@pytest.mark.parametrize("target", [list, [(1,)]])
def test_options_that_nobody_asks_for_are_refused(register: Callable[[object], str], target: Any) -> None:
    with pytest.raises(ValidationException, match=r"'mine' takes no options, but the table has 'options\.a', 'options\.b'"):
        rows_giver(register(target), "c.d.t", {"b": "1", "a": "2"})


def generator(batch: Any) -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ([], "of the class list, which cannot be called"),
        (generator, "does nothing when it is called"),
        (coroutine, "does nothing when it is called"),
        (asynchronous_generator, "does nothing when it is called"),
        (lambda: None, "cannot be called with a batch: too many positional arguments"),
        (lambda a, b: None, "cannot be called with a batch: missing a required argument: 'b'"),
        (lambda *, batch: None, "cannot be called with a batch"),
    ],
)
def test_what_cannot_take_rows_is_refused(register: Callable[[object], str], target: Any, expected: str) -> None:
    with pytest.raises(ValidationException, match=rf"^The option 'sink\.callable' of table c\.d\.t: .*{expected}") as failure:
        row_taker(register(target), "c.d.t")
    assert "pyarrow.RecordBatch" in (failure.value.hint or "")


@pytest.mark.parametrize("target", [print, [].append, lambda batch, more=1: None, takes_all])
def test_what_can_be_called_with_one_argument_takes_rows(register: Callable[[object], str], target: Any) -> None:
    assert row_taker(register(target), "c.d.t").target == target


def fails() -> None:
    raise LookupError("in user code")


def test_a_failure_is_told_with_the_part_of_the_traceback_that_is_the_users() -> None:
    code = UserCode("mine", "c.d.t", fails)
    with pytest.raises(TableRuntimeException) as failure:
        code.rows({})
    message = failure.value.message
    assert message.startswith("The Python callable 'mine' of table c.d.t failed: LookupError: in user code\nTraceback")
    assert 'raise LookupError("in user code")' in message
    assert 'user_code.py"' not in message.replace("test_user_code.py", "")
    assert isinstance(failure.value.__cause__, LookupError)


def test_an_interruption_is_no_failure_of_the_callable() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        UserCode("mine", "c.d.t", interrupted).rows({})
