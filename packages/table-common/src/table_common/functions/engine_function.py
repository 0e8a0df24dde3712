"""Functions of an engine, such as Hive's and Spark's own, which the session's planner resolves."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeInference
from table_common.types.logical import LogicalType


@dataclass(frozen=True, eq=False)
class EngineFunction(FunctionDefinition):
    """A function that is known by name; its type inference and implementation belong to an engine.

    The planner replaces it before a call is typed (``Planner.resolve_function``), so it never occurs in a plan. ``system`` is its owner, such as
    ``hive``; ``implementation`` identifies it in the engine, such as by a class name, and is empty if no engine has it; ``equivalent`` is a
    built-in function with the same results, for engines without the implementation; ``substitute`` is the function that an engine calls if it
    cannot run the implementation; ``remark`` is the explanation for users if no engine can run it.

    Example:
        >>> from table_common.functions.builtin import strings
        >>> EngineFunction("UCASE", system="hive", equivalent=strings.UPPER).equivalent.name
        'UPPER'
    """

    name: str = ""
    kind: FunctionKind = FunctionKind.SCALAR
    system: str = ""
    implementation: str = ""
    equivalent: BuiltInFunctionDefinition | None = None
    substitute: str | None = None
    deterministic: bool = True
    remark: str | None = None

    @property
    @override
    def is_deterministic(self) -> bool:
        return self.deterministic

    @override
    def get_type_inference(self) -> TypeInference:
        if self.equivalent is not None:
            return self.equivalent.get_type_inference()
        return TypeInference(AnyArguments(), lambda context: None)


class AnyArguments(InputTypeStrategy):
    """Any number of arguments of any types, without casts; the engine checks them.

    Example:
        >>> AnyArguments().signatures()
        ['<ANY>...']
    """

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return ArgumentCount(0, None)

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...]:
        return context.argument_types

    @override
    def signatures(self) -> list[str]:
        return ["<ANY>..."]
