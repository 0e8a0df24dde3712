"""Functions of Flink's test programs without time, written anew."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from process_programs.texts import (
    FULL_DELETES,
    OPEN,
    OPEN_CHANGES,
    RETRACTIONS,
    ROWS,
    SET,
    Int,
    Score,
    ScoreWithDefaults,
    Text,
    User,
    mode_of,
    of,
    out,
)

from table_api.udf import (
    ArgumentHint,
    ArgumentTrait,
    DataTypeHint,
    ProcessContext,
    ProcessTableFunction,
    ScalarFunction,
    StateHint,
    function_hint,
)
from table_common.connector import RowKind
from table_common.data import Row

_T = ArgumentTrait


@out
class ScalarArgsFunction(Text):
    def eval(self, i: Int, b: bool) -> Any:
        yield (of(i, b),)


@out
class RowSemanticTableFunction(Text):
    def eval(self, r: Annotated[Row, ROWS], i: Int) -> Any:
        yield (of(r, i),)


@out
class TypedRowSemanticTableFunction(Text):
    def eval(self, u: Annotated[User, ROWS], i: Int) -> Any:
        yield (of(u, i),)


@out
class SetSemanticTableFunction(Text):
    def eval(self, r: Annotated[Row, SET], i: Int) -> Any:
        yield (of(r, i),)


@out
class TypedSetSemanticTableFunction(Text):
    def eval(self, u: Annotated[User, SET], i: Int) -> Any:
        yield (of(u, i),)


@out
class PojoArgsFunction(Text):
    def eval(self, input: Annotated[User, ROWS], scalar: User) -> Any:
        yield (of(input, scalar),)


class PojoCreatingFunction(ScalarFunction):
    def eval(self, s: str, i: Int) -> User:
        return User(s, i)


@out
class EmptyArgFunction(Text):
    def eval(self) -> Any:
        yield (of("empty"),)


@out
class IntervalDayArgFunction(Text):
    def eval(self, d: timedelta) -> Any:
        yield (of(d),)


@out
class IntervalYearArgFunction(Text):
    @function_hint(output="ROW<`out` STRING>")
    def eval(self, p: Annotated[Any, DataTypeHint("INTERVAL YEAR TO MONTH")]) -> Any:
        months = getattr(p, "months", p)
        years = getattr(p, "years", None)
        yield (of(f"P{years if years is not None else months // 12}Y"),)


@out
class RowSemanticTablePassThroughFunction(Text):
    def eval(self, r: Annotated[Row, ArgumentHint(_T.ROW_SEMANTIC_TABLE, _T.PASS_COLUMNS_THROUGH)], i: Int) -> Any:
        yield (of(r, i),)


@out
class SetSemanticTablePassThroughFunction(Text):
    def eval(self, r: Annotated[Row, ArgumentHint(_T.SET_SEMANTIC_TABLE, _T.PASS_COLUMNS_THROUGH)], i: Int) -> Any:
        yield (of(r, i),)


@out
class SetSemanticTableUpdatingArgFunction(Text):
    def eval(self, context: ProcessContext, r: Annotated[Row, OPEN_CHANGES]) -> Any:
        yield (of(r, mode_of(context.table_semantics_for("r").changelog_mode)),)


@out
class SetSemanticTableRetractArgFunction(Text):
    def eval(self, r: Annotated[Row, RETRACTIONS]) -> Any:
        yield (of(r),)


@out
class SetSemanticTableFullDeletesArgFunction(Text):
    def eval(self, r: Annotated[Row, FULL_DELETES]) -> Any:
        yield (of(r),)


@out
class SetSemanticTableOptionalPartitionFunction(Text):
    def eval(self, r: Annotated[Row, OPEN], i: Int) -> Any:
        yield (of(r, i),)


class AtomicTypeWrappingFunction(ProcessTableFunction[Int]):
    def eval(self, r: Annotated[Row, SET]) -> Any:
        yield r[1]


@out
class ContextFunction(Text):
    def eval(self, context: ProcessContext, r: Annotated[Row, SET], s: str) -> Any:
        table = context.table_semantics_for("r")
        kinds = [kind.name for kind in RowKind if kind in table.changelog_mode.kinds]
        yield (of(r, s, list(table.partition_by_columns), kinds, str(table.data_type)),)


@out
class PojoStateFunction(Text):
    def eval(self, s: Annotated[Score, StateHint()], r: Annotated[Row, SET]) -> Any:
        yield (of(s, r),)
        if r.name == "Bob":
            s.s = r.name
        s.i = 0 if s.i is None else s.i + 1


@out
class PojoWithDefaultStateFunction(Text):
    def eval(self, s: Annotated[ScoreWithDefaults, StateHint()], r: Annotated[Row, SET]) -> Any:
        yield (of(s, r),)
        if r.name == "Bob":
            s.s = r.name
        s.i = 0 if s.i == 99 else s.i + 1


@out
class MultiStateFunction(Text):
    def eval(
        self,
        s1: Annotated[Row, StateHint(type="ROW<i INT>")],
        s2: Annotated[Row, StateHint(type="ROW<s STRING>")],
        r: Annotated[Row, SET],
    ) -> Any:
        yield (of(s1, s2, r),)
        before = s1.i or 0
        s1.i = before + 1
        s2.s = str(before)


@out
class ClearStateFunction(Text):
    def eval(self, context: ProcessContext, s: Annotated[ScoreWithDefaults, StateHint()], r: Annotated[Row, SET]) -> Any:
        yield (of(s, r),)
        if r.name == "Bob" and s.i == 100:
            context.clear_state("s")
        else:
            s.i += 1


@out
class DescriptorFunction(Text):
    def eval(self, columnList1: list[str] | None, columnList3: list[str], columnList2: list[str] | None = None) -> Any:
        third = f"({', '.join(f'`{name}`' for name in columnList3)})"
        yield (of(columnList1, columnList2, third),)
