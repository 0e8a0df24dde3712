"""Function definitions as planners use them: kind, type inference, determinism; no implementation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import ClassVar

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.functions.aggregate_traits import AggregateTraits
from table_common.inference.type_inference import TypeInference


class FunctionKind(Enum):
    """The kinds of functions.

    Source: Flink's ``org.apache.flink.table.functions.FunctionKind``.

    Example:
        >>> FunctionKind("table aggregate").name
        'TABLE_AGGREGATE'
    """

    SCALAR = "scalar"
    ASYNC_SCALAR = "async scalar"
    TABLE = "table"
    ASYNC_TABLE = "async table"
    AGGREGATE = "aggregate"
    TABLE_AGGREGATE = "table aggregate"
    PROCESS_TABLE = "process table"
    OTHER = "other"


class FunctionDefinition(ABC):
    """A function in plans. Definitions are compared by identity, not by name.

    Source: Flink's ``org.apache.flink.table.functions.FunctionDefinition``.

    Example:
        >>> from table_common.functions.builtin import strings
        >>> strings.UPPER.render_sql(["name"])
        'UPPER(name)'
    """

    is_user_defined: ClassVar[bool] = False
    """Whether the definition is a ``UserFunction``, which holds its own implementation."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for messages and plans."""

    @property
    @abstractmethod
    def kind(self) -> FunctionKind:
        """What kind of function this is."""

    @abstractmethod
    def get_type_inference(self) -> TypeInference:
        """Returns the typing rules."""

    @property
    def is_deterministic(self) -> bool:
        """Whether equal arguments always produce equal results within a query."""
        return True

    @property
    def supports_constant_folding(self) -> bool:
        """Whether a call with constant arguments may be computed while the query is planned."""
        return True

    @property
    def aggregate_traits(self) -> AggregateTraits:
        """What planners know of an aggregate function; of one that they do not know, its result depends on the order of the rows."""
        return _UNKNOWN

    def render_sql(self, args: list[str]) -> str:
        """Returns the SQL text of a call with these argument texts."""
        return f"{self.name}({', '.join(args)})"


_UNKNOWN = AggregateTraits(depends_on_order=True)
_ORDINARY = AggregateTraits()


@dataclass(frozen=True, eq=False)
class BuiltInFunctionDefinition(FunctionDefinition):
    """A function of the core module; made only in ``functions/builtin``.

    ``name`` is the SQL name in upper case (``UPPER``) or, for an operator (``is_operator``), an internal name (``PLUS``) that SQL cannot
    call.

    Source: Flink's ``org.apache.flink.table.functions.BuiltInFunctionDefinition``.

    Example:
        >>> from table_common.functions.builtin import lookup_built_in
        >>> lookup_built_in("character_length").name
        'CHAR_LENGTH'
    """

    name: str = ""
    kind: FunctionKind = FunctionKind.SCALAR
    type_inference: TypeInference | None = None
    aliases: tuple[str, ...] = ()
    deterministic: bool = True
    is_operator: bool = False
    renderer: Callable[[list[str]], str] | None = None
    aggregate_traits: AggregateTraits = _ORDINARY

    @override
    def get_type_inference(self) -> TypeInference:
        assert self.type_inference is not None
        return self.type_inference

    @property
    @override
    def is_deterministic(self) -> bool:
        return self.deterministic

    @override
    def render_sql(self, args: list[str]) -> str:
        return self.renderer(args) if self.renderer is not None else f"{self.name}({', '.join(args)})"

    def __repr__(self) -> str:
        return self.name
