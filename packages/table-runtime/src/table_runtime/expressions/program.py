"""Expressions flattened for evaluation: one step per distinct subexpression, arguments before calls.

Equal subexpressions become one step, so they are computed once per batch. Each call of a function that is not deterministic is a separate
step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException, TableInternalError
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_runtime.expressions.constant_arrays import constant_collection
from table_runtime.expressions.literal import to_arrow_scalar
from table_runtime.kernels import KERNELS, Kernel


@dataclass(frozen=True, slots=True)
class Instruction:
    """One subexpression. Exactly one of ``column``, ``constant`` and ``kernel`` is set."""

    expression: ResolvedExpression
    arrow_type: Any
    args: tuple[int, ...] = ()
    column: int | None = None
    constant: Any = None
    kernel: Kernel | None = None
    is_infallible: bool = True
    """Whether neither the step nor its arguments can fail on any input."""


class Program:
    """The steps of several expressions, arguments before calls; ``roots`` are the steps of the expressions themselves."""

    def __init__(
        self,
        expressions: Sequence[ResolvedExpression],
        input_widths: Sequence[int],
        kernels: Mapping[FunctionDefinition, Kernel],
    ) -> None:
        self.steps: list[Instruction] = []
        self._by_key: dict[tuple[Any, ...], int] = {}
        self._by_id: dict[int, int] = {}
        self._input_widths = input_widths
        self._kernels = kernels
        self.roots = [self._add(expression) for expression in expressions]

    def _add(self, root: ResolvedExpression) -> int:
        stack: list[tuple[ResolvedExpression, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in self._by_id:
                continue
            children = node.args if isinstance(node, CallExpression) else ()
            if isinstance(node, CallExpression) and not expanded and (constant := constant_collection(node)) is not None:
                self._by_id[id(node)] = len(self.steps)
                self.steps.append(Instruction(node, constant.type, constant=constant))
                continue
            if children and not expanded:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(children))
                continue
            self._by_id[id(node)] = self._intern(node, tuple(self._by_id[id(child)] for child in children))
        return self._by_id[id(root)]

    def _intern(self, node: ResolvedExpression, args: tuple[int, ...]) -> int:
        key = _key(node, args)
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self.steps)
            self.steps.append(self._step(node, args))
        return index

    def _step(self, node: ResolvedExpression, args: tuple[int, ...]) -> Instruction:
        match node:
            case FieldReferenceExpression():
                if node.input_index and len(self._input_widths) <= node.input_index:
                    raise TableInternalError(f"Column '{node.name}' refers to input {node.input_index}, but there is only one input.")
                offset = sum(self._input_widths[: node.input_index])
                return Instruction(node, to_arrow_type(node.output_type), column=offset + node.field_index)
            case ValueLiteralExpression():
                scalar = to_arrow_scalar(node)
                return Instruction(node, scalar.type, constant=scalar)
            case TypeLiteralExpression():
                scalar = to_arrow_scalar(ValueLiteralExpression(None, node.output_type))
                return Instruction(node, scalar.type, constant=scalar)
            case CallExpression():
                kernel = self._kernel(node)
                is_infallible = kernel.is_infallible(node) and all(self.steps[arg].is_infallible for arg in args)
                return Instruction(node, to_arrow_type(node.output_type), args, kernel=kernel, is_infallible=is_infallible)
            case _:
                raise TableException(f"The Arrow engine cannot evaluate {type(node).__name__}.")

    def _kernel(self, call: CallExpression) -> Kernel:
        if call.function.is_user_defined:
            from table_runtime.udf import user_kernel

            return user_kernel(call)
        kernel = self._kernels.get(call.function) or KERNELS.get(call.function)
        if kernel is None:
            from table_runtime.kernels import UNSUPPORTED  # only an error needs it

            reason = UNSUPPORTED.get(call.function, "there is no kernel for it")
            raise TableException(f"The Arrow engine cannot run function {call.function.name}: {reason}.")
        return kernel.prepared(call)


def _key(node: ResolvedExpression, args: tuple[int, ...]) -> tuple[Any, ...]:
    match node:
        case FieldReferenceExpression():
            return ("column", node.input_index, node.field_index, node.output_type)
        case ValueLiteralExpression():
            # repr distinguishes 0.0 from -0.0 and 1 from True, which compare equal.
            return ("value", type(node.value), repr(node.value), node.output_type)
        case TypeLiteralExpression():
            return ("type", node.output_type)
        case CallExpression() if node.function.is_deterministic:
            return ("call", id(node.function), args, node.output_type)
        case _:
            return ("node", id(node))
