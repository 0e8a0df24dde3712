"""DESCRIBE."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DescribeOperation(Operation):
    """``DESCRIBE [CATALOG|DATABASE|FUNCTION] [EXTENDED] path``; ``kind`` is TABLE (also views), FILE (its path is that of a file), CATALOG, DATABASE or FUNCTION."""

    kind: str
    path: tuple[str, ...]
    extended: bool = False
