"""STOP JOB."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StopJobOperation(Operation):
    """``STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]``."""

    job_id: str
    with_savepoint: bool = False
    with_drain: bool = False
