"""Evaluates resolved expressions over record batches, column by column."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableError, TableInternalError
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings
from table_runtime.columns.value_size import check_made_values
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions.program import Instruction, Program
from table_runtime.expressions.scope import Request, Scope
from table_runtime.expressions.short_circuit import SHORT_CIRCUIT
from table_runtime.expressions.slices import Slices, join_slices, makes_large_values
from table_runtime.kernels import Kernel, to_array


class Evaluator:
    """Evaluates a fixed list of expressions on batches of one input row type.

    Args:
        expressions: the expressions. In a batch, the columns of input 1 (the right side of a join) follow those of input 0.
        context: the session's settings.
        input_widths: the number of columns of each input; needed only when expressions refer to more than one.
        kernels: kernels of functions that are not built in.

    Thread-safe and picklable (if ``kernels`` are). Equal subexpressions are computed once per batch, evaluation is iterative, and a branch
    of CASE, COALESCE, AND or OR that could fail is evaluated only for the rows that reach it.
    """

    def __init__(
        self,
        expressions: Sequence[ResolvedExpression],
        context: EvaluationContext,
        *,
        input_widths: Sequence[int] = (),
        kernels: Mapping[FunctionDefinition, Kernel] | None = None,
    ) -> None:
        self._context = context
        self._input_widths = tuple(input_widths)
        self._kernels = dict(kernels or {})
        self._expressions = tuple(expressions)
        program = Program(self._expressions, self._input_widths, self._kernels)
        self._steps: list[Instruction] = program.steps
        self._roots: list[int] = program.roots
        self._slices = Slices(context.memory) if makes_large_values(program.steps) else None
        self.keeps_dictionaries = False
        """Whether columns that are dictionary arrays are results as they are. They must not be arguments."""

    def __reduce__(self) -> tuple[object, ...]:
        # Arguments precede calls in this list, so that pickling a deep tree does not recurse.
        nodes = [step.expression for step in self._steps]
        return _restore, (nodes, self._expressions, self._context, self._input_widths, self._kernels)

    @property
    def expressions(self) -> tuple[ResolvedExpression, ...]:
        """The expressions that ``evaluate`` computes, in this order."""
        return self._expressions

    @property
    def needs_order(self) -> bool:
        """Whether results depend on the order of the batches, so that they must be evaluated one after the other."""
        return any(step.kernel is not None and step.kernel.has_state for step in self._steps)

    def evaluate(self, batch: Any) -> list[Any]:
        """Returns one array per expression, of its type's Arrow type and as long as the batch.

        Raises:
            TableRuntimeException: an expression failed on a value.
        """
        if self._slices is None or batch.num_rows <= 1:
            return self._evaluate(batch, self._slices)
        slices = self._slices
        return join_slices((self._evaluate(batch.slice(*part), slices) for part in slices.of(batch.num_rows)), slices.largest_batch)

    def _evaluate(self, batch: Any, slices: Slices | None) -> list[Any]:
        scope = Scope(batch, batch.num_rows)
        arrays = [to_array(self._run(scope, root), batch.num_rows) for root in self._roots]
        if slices is not None and batch.num_rows:
            slices.measured(batch.num_rows, scope.size_of_values() + sum(array.nbytes for array in arrays))
        return arrays

    @property
    def makes_large_values(self) -> bool:
        """Whether values may be so large that callers that can split batches should use ``evaluate_in_slices``."""
        return self._slices is not None

    def evaluate_only(self, batch: Any) -> Any:
        """Returns what ``evaluate`` does for the only expression."""
        (result,) = self.evaluate(batch)
        return result

    def evaluate_in_slices(self, batch: Any) -> Iterator[tuple[Any, list[Any]]]:
        """Lazily yields slices of the batch, in order, with the result of ``evaluate`` for each, which limits the memory of large values."""
        slices = self._slices
        if slices is None or batch.num_rows <= 1:
            yield batch, self._evaluate(batch, slices)
            return
        parts: list[list[Any]] = []
        first = size = 0
        for start, rows in slices.of(batch.num_rows):
            parts.append(self._evaluate(batch.slice(start, rows), slices))
            size += sum(array.nbytes for array in parts[-1])
            if size >= slices.batch_size or start + rows == batch.num_rows:
                yield batch.slice(first, start + rows - first), join_slices(parts, slices.largest_batch)
                first, size, parts = start + rows, 0, []

    def evaluate_values(self, batch: Any) -> list[Any]:
        """Returns one array per expression, or a scalar if all rows have the same value."""
        if self._slices is not None and batch.num_rows > 1:
            return self.evaluate(batch)
        scope = Scope(batch, batch.num_rows)
        return [self._run(scope, root) for root in self._roots]

    def evaluate_filter(self, batch: Any) -> Any:
        """Returns a boolean array without nulls: true where all expressions are TRUE.

        An expression that could fail is evaluated only for the rows for which the preceding expressions are TRUE.
        """
        if self._slices is None or batch.num_rows <= 1:
            return self._filter(batch, self._slices)
        slices = self._slices
        return pa.concat_arrays([self._filter(batch.slice(*part), slices) for part in slices.of(batch.num_rows)])

    def evaluate_filtered(self, batch: Any, conditions: int) -> tuple[list[Any], int]:
        """Returns what the expressions after the first ``conditions`` give for the rows for which these are TRUE, and the number of such rows.

        A subexpression that the conditions have computed for all rows is not computed again. Values that are not large are assumed.
        """
        scope = Scope(batch, batch.num_rows)
        passed = scope.narrow(to_array(self._passed(scope, self._roots[:conditions]), batch.num_rows))
        return [to_array(self._run(passed, root), passed.num_rows) for root in self._roots[conditions:]], passed.num_rows

    def _filter(self, batch: Any, slices: Slices | None) -> Any:
        scope = Scope(batch, batch.num_rows)
        passed = self._passed(scope, self._roots)
        if slices is not None and batch.num_rows:
            slices.measured(batch.num_rows, scope.size_of_values())
        return to_array(passed, batch.num_rows)

    def _passed(self, scope: Scope, roots: Sequence[int]) -> Any:
        """Returns for each row of a scope whether all of some conditions are TRUE; a scalar for all rows alike."""
        passed: Any = arrow_scalar(True, pa.bool_())
        for root in roots:
            if self._steps[root].is_infallible:
                passed = pc.and_(passed, _is_true(self._run(scope, root)))
                continue
            mask = to_array(passed, scope.num_rows)
            narrowed = scope.narrow(mask)
            value = to_array(_is_true(self._run(narrowed, root)), narrowed.num_rows)
            passed = pc.replace_with_mask(mask, mask, value)
        return passed

    def _run(self, scope: Scope, root: int) -> Any:
        """Computes one step, with a stack of generators instead of recursion, because trees may be deep."""
        stack: list[Generator[Request, Any, Any]] = [self._compute(scope, root)]
        result: Any = None
        while stack:
            try:
                request = stack[-1].send(result)
            except StopIteration as end:
                stack.pop()
                result = end.value
            else:
                value = request.scope.find(request.step)
                if value is None:
                    stack.append(self._compute(request.scope, request.step))
                result = value
        return result

    def _compute(self, scope: Scope, index: int) -> Generator[Request, Any, Any]:
        computed = scope.find(index)
        if computed is not None:
            return computed
        step = self._steps[index]
        if step.constant is not None:
            value = step.constant
        elif step.column is not None:
            value = scope.column(step.column)
            if not (self.keeps_dictionaries and pa.types.is_dictionary(value.type)):
                value = _cast_value(value, step.arrow_type)
        else:
            value = yield from self._call(scope, step)
        scope.keep(index, value)
        return value

    def _call(self, scope: Scope, step: Instruction) -> Generator[Request, Any, Any]:
        call = step.expression
        assert isinstance(call, CallExpression)
        assert step.kernel is not None
        guarded = SHORT_CIRCUIT.get(call.function)
        if guarded is not None and not all(self._steps[arg].is_infallible for arg in step.args[1:]):
            return _cast_value((yield from guarded(scope, step, self._steps)), step.arrow_type)
        args = []
        for arg in step.args:
            args.append((yield Request(scope, arg)))
        try:
            value = step.kernel(args, call, self._context, scope.num_rows)
            if not isinstance(value, pa.Scalar) and len(value) != scope.num_rows:
                value = _of_constants(value, args, call)
            if not pa.types.is_primitive(value.type):
                check_made_values(_shown_name(call), to_array(value, 1))
            return _cast_value(value, step.arrow_type)
        except TableError:
            raise
        except (pa.ArrowException, ArithmeticError, ValueError) as error:
            from table_runtime.failure_reasons import failure_of  # only an error needs it

            raise failure_of(call.function.name, call.output_type, error) from error


def _of_constants(values: Any, args: Sequence[Any], call: CallExpression) -> Any:
    """Returns the only value of a kernel over constants, as a scalar for all rows."""
    if len(values) == 1 and all(isinstance(arg, pa.Scalar) for arg in args):
        return values[0]
    raise TableInternalError(f"{call.function.name} returned {len(values)} values for another number of rows.")


def _shown_name(call: CallExpression) -> str:
    return "||" if call.function is strings.CONCAT_OP else call.function.name


def _cast_value(value: Any, arrow_type: Any) -> Any:
    """Casts a result of a kernel or an input column to the Arrow type of the expression."""
    if isinstance(value, pa.ChunkedArray):
        value = to_array(value, 0)
    if value.type.equals(arrow_type):
        return value
    if isinstance(arrow_type, pa.BaseExtensionType):
        storage = value.storage if isinstance(value, pa.ExtensionArray) else value
        if isinstance(storage, pa.Scalar):
            storage = to_array(storage, 1)
            return pa.ExtensionArray.from_storage(arrow_type, pc.cast(storage, arrow_type.storage_type))[0]
        return pa.ExtensionArray.from_storage(arrow_type, pc.cast(storage, arrow_type.storage_type))
    return pc.cast(value, arrow_type)


def _is_true(value: Any) -> Any:
    return pc.fill_null(value, False)


def _restore(
    nodes: list[ResolvedExpression],
    expressions: tuple[ResolvedExpression, ...],
    context: EvaluationContext,
    input_widths: tuple[int, ...],
    kernels: dict[FunctionDefinition, Kernel],
) -> Evaluator:
    return Evaluator(expressions, context, input_widths=input_widths, kernels=kernels)
