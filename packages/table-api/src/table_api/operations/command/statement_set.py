"""Several inserts as one job."""

from __future__ import annotations

from table_api.operations.modify import SinkModifyOperation
from table_api.operations.operation import Operation
from table_common.annotation import override
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StatementSetOperation(Operation):
    """``EXECUTE STATEMENT SET BEGIN insert; … END``."""

    operations: tuple[SinkModifyOperation, ...]

    @property
    @override
    def insertions(self) -> tuple[SinkModifyOperation, ...]:
        return self.operations
