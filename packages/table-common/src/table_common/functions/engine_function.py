"""Functions that live in an engine, such as Hive's and Spark's own: the session's planner says what they are there."""

from __future__ import annotations

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionDefinition, FunctionKind
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy, TypeInference
from table_common.types.logical import LogicalType

__all__ = ["AnyArguments", "EngineFunction"]


@dataclass(frozen=True, eq=False)
class EngineFunction(FunctionDefinition):
    """A function known by name, whose typing rules and implementation an engine has.

    Before a call is typed the planner replaces it (``Planner.resolve_function``), so that it is in no plan. ``system`` is whose function
    it is, such as ``hive``; ``implementation`` is what the engine looks for, such as the name of a class, empty if no engine has it;
    ``equivalent`` is the built-in function that gives the same results for the arguments that it takes, for engines without the
    implementation; ``substitute`` is what engines that have it call instead, where they cannot run the implementation; ``remark`` is what users are told where nothing can.
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
    """Any number of arguments of any types, as they are: who runs the function says what fits."""

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
