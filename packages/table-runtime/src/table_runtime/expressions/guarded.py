"""Forms that compute an argument only for the rows that reach it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from table_common.functions import FunctionDefinition
from table_runtime.expressions.program import Step
from table_runtime.expressions.scope import Request, Scope

__all__ = ["GUARDED"]

GUARDED: dict[FunctionDefinition, Callable[[Scope, Step], Generator[Request, Any, Any]]] = {}
"""Function → how it is computed when an argument behind the first could fail."""
