"""Signatures of process table functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import pytest

from table_common.data import Row
from table_common.exceptions import ValidationException
from table_common.functions import (
    ArgumentHint,
    ArgumentTrait,
    ListView,
    MapView,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    UserFunction,
    function_hint,
)

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
ROWS = ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)


@dataclass
class Total:
    amount: int = 0


class Full(ProcessTableFunction[Row]):
    @function_hint(output="ROW<a INT, b STRING>")
    def eval(
        self,
        context: ProcessContext,
        total: Annotated[Total, StateHint(ttl=timedelta(hours=1))],
        names: Annotated[MapView[str, int], StateHint()],
        input: Annotated[Row, SET],
        limit: int,
        note: str | None = None,
    ) -> None: ...

    def on_timer(self, context: OnTimerContext, names: Any) -> None: ...


def signature_of(function: Any) -> Any:
    return UserFunction(function).process


def test_a_signature_has_context_states_arguments_and_rows() -> None:
    found = signature_of(Full())
    assert found.takes_context
    assert [(entry.name, entry.ttl) for entry in found.states] == [("total", timedelta(hours=1)), ("names", None)]
    assert [(one.name, one.is_table, one.is_optional) for one in found.arguments] == [
        ("input", True, False),
        ("limit", False, False),
        ("note", False, True),
    ]
    assert str(found.output.type) == "ROW<`a` INT, `b` STRING>"
    assert found.timer_states == (1,)
    assert found.timer_takes_context


def test_rows_may_be_of_a_class_and_the_result_of_one_value() -> None:
    class Typed(ProcessTableFunction[int]):
        def eval(self, r: Annotated[Total, ROWS]) -> Iterator[int]:
            yield r.amount

    found = signature_of(Typed())
    (argument,) = found.arguments
    assert "amount" in str(argument.extracted.type)
    assert str(found.output.type) == "BIGINT NOT NULL"
    assert not found.has_timers


def test_it_is_only_called_in_from() -> None:
    with pytest.raises(ValidationException, match="Full is a process table function, so it can only be used in FROM"):
        UserFunction(Full()).get_type_inference()


class _Wrong:
    def late_state(self, r: Annotated[Row, SET], s: Annotated[Total, StateHint()]) -> Iterator[str]: ...
    def fixed_state(self, s: Annotated[int, StateHint()], r: Annotated[Row, SET]) -> Iterator[str]: ...
    def list_state(self, s: Annotated[list[int], StateHint()], r: Annotated[Row, SET]) -> Iterator[str]: ...
    def open_row(self, s: Annotated[Row, StateHint()], r: Annotated[Row, SET]) -> Iterator[str]: ...
    def no_type(self, s: Annotated[object, StateHint()], r: Annotated[Row, SET]) -> Iterator[str]: ...
    def undeclared(self, s: ListView[int], r: Annotated[Row, SET]) -> Iterator[str]: ...
    def unknown_row(self, r: Row) -> Iterator[str]: ...
    def untyped(self, r) -> Iterator[str]: ...  # type: ignore[no-untyped-def]  # what the test is about
    def reserved(self, on_time: int) -> Iterator[str]: ...
    def many(self, *args: int) -> Iterator[str]: ...
    def scalar_trait(self, r: Annotated[int, ArgumentHint(ArgumentTrait.SUPPORT_UPDATES)]) -> Iterator[str]: ...
    def rows_by_key(
        self, r: Annotated[Row, ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.OPTIONAL_PARTITION_BY)]
    ) -> Iterator[str]: ...
    def before(
        self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.REQUIRE_UPDATE_BEFORE)]
    ) -> Iterator[str]: ...
    def through(
        self,
        r: Annotated[
            Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES, ArgumentTrait.PASS_COLUMNS_THROUGH)
        ],
    ) -> Iterator[str]: ...
    def both(
        self, r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.ROW_SEMANTIC_TABLE)]
    ) -> Iterator[str]: ...
    def state_of_rows(self, s: Annotated[Total, StateHint()], r: Annotated[Row, ROWS]) -> Iterator[str]: ...
    def mixed(self, r: Annotated[Row, ROWS], q: Annotated[Row, SET]) -> Iterator[str]: ...
    def no_table(self, r: Annotated[int, SET]) -> Iterator[str]: ...


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("late_state", "The state 's' of Wrong.eval comes after the argument 'r'"),
        ("fixed_state", "The type of the state 's' of Wrong.eval is BIGINT, whose values cannot change in place"),
        ("list_state", "whose values cannot change in place.*ListView or MapView"),
        ("open_row", "The fields of the state 's' of Wrong.eval are not known"),
        ("no_type", "the state 's' of Wrong.eval"),
        ("undeclared", r"The parameter 's' of Wrong.eval is a ListView, which only state is.*StateHint\(\)"),
        ("unknown_row", "The parameter 'r' of Wrong.eval is a Row, but it does not say whether it is a table"),
        ("untyped", "The parameter 'r' of Wrong.eval has no type"),
        ("reserved", "The parameter 'on_time' of Wrong.eval has the name of an argument that every call has"),
        ("many", r"Wrong.eval takes \*args, but each argument"),
        ("scalar_trait", "The parameter 'r' of Wrong.eval has SUPPORT_UPDATES, which only tables have"),
        ("rows_by_key", "has row semantics, so it cannot have OPTIONAL_PARTITION_BY"),
        ("before", "has REQUIRE_UPDATE_BEFORE without SUPPORT_UPDATES"),
        ("through", "has PASS_COLUMNS_THROUGH and SUPPORT_UPDATES"),
        ("both", "is more than one of scalar, table of rows and table of sets"),
        ("state_of_rows", "has the state 's', but no table with set semantics"),
        ("mixed", "has several tables, but 'r' has row semantics"),
        ("no_table", "is a table, but is annotated as int"),
    ],
)
def test_what_is_wrong_is_named_at_registration(method: str, message: str) -> None:
    class Wrong(ProcessTableFunction[str]):
        eval = getattr(_Wrong, method)

    Wrong.__qualname__ = "Wrong"
    with pytest.raises(ValidationException, match=f"(?s){message}"):
        signature_of(Wrong())


def test_on_timer_takes_the_states_of_eval() -> None:
    class Timed(ProcessTableFunction[str]):
        def eval(self, s: Annotated[Total, StateHint()], r: Annotated[Row, SET]) -> Iterator[str]: ...

        def on_timer(self, total: Total) -> Iterator[str]: ...

    with pytest.raises(ValidationException, match=r"'total'.*parameters of .*Timed.on_timer"):
        signature_of(Timed())


def test_the_rows_need_a_type_and_eval() -> None:
    class Unsaid(ProcessTableFunction):  # type: ignore[type-arg]  # what the test is about
        def eval(self, r: Annotated[Row, ROWS]): ...  # type: ignore[no-untyped-def]

    with pytest.raises(ValidationException, match=r"The rows of .*Unsaid have no type"):
        signature_of(Unsaid())

    class Empty(ProcessTableFunction[str]): ...

    with pytest.raises(ValidationException, match="does not define eval"):
        signature_of(Empty())


def test_functions_of_many_rows_have_their_own_methods() -> None:
    class Batches(ProcessTableFunction[str]):
        def eval_batch(self, context: ProcessBatchContext, s: Annotated[Total, StateHint()], r: Annotated[Any, SET], n: int = 1) -> Any: ...

        def on_timer_batch(self, s: Total) -> Any: ...

    found = signature_of(Batches())
    assert (found.is_vectorized, found.takes_context, found.timer_states, found.timer_takes_context) == (True, True, (0,), False)
    assert [argument.name for argument in found.arguments] == ["r", "n"]


class Base(ProcessTableFunction[str]):
    def eval_batch(self, r: Annotated[Any, ROWS]) -> Any: ...


class WithEval(Base):
    def eval(self, r: Annotated[Row, ROWS]) -> Any: ...


class WithTimer(Base):
    def on_timer(self) -> Any: ...


class WithMode(Base):
    def get_changelog_mode(self, changelog_context: Any) -> Any: ...


class OfTwo(ProcessTableFunction[str]):
    def eval_batch(self, a: Annotated[Any, SET], b: Annotated[Any, SET]) -> Any: ...


class OfUpdates(ProcessTableFunction[str]):
    def eval_batch(self, a: Annotated[Any, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE, ArgumentTrait.SUPPORT_UPDATES)]) -> Any: ...


class OfViews(ProcessTableFunction[str]):
    def eval_batch(self, seen: Annotated[ListView[int], StateHint()], a: Annotated[Any, SET]) -> Any: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (WithEval, "defines eval_batch and eval"),
        (WithTimer, "defines eval_batch and on_timer"),
        (WithMode, "defines eval_batch and get_changelog_mode"),
        (OfTwo, "has 2 tables, but it is called with the rows of one table of insertions"),
        (OfUpdates, "has SUPPORT_UPDATES for 'a'"),
        (OfViews, "The state 'seen' of .*eval_batch is a ListView, but its states are arrays"),
    ],
)
def test_what_needs_calls_row_by_row_is_refused(function: type[ProcessTableFunction[str]], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        signature_of(function())
