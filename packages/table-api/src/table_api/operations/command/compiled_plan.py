"""Compiling plans into files, and running those."""

from __future__ import annotations

from table_api.operations.modify import SinkModifyOperation
from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CompilePlanOperation(Operation):
    """``COMPILE PLAN 'file' [IF NOT EXISTS] FOR …``."""

    file: str
    operations: tuple[SinkModifyOperation, ...]
    ignore_if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CompileAndExecutePlanOperation(Operation):
    """``COMPILE AND EXECUTE PLAN 'file' FOR …``: a file that is there is run as it is."""

    file: str
    operations: tuple[SinkModifyOperation, ...]


@dataclass(frozen=True, slots=True)
class ExecutePlanOperation(Operation):
    """``EXECUTE PLAN 'file'``."""

    file: str
