"""Handing the rows of a query to the caller."""

from __future__ import annotations

from table_api.operations.operation import ModifyOperation
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CollectModifyOperation(ModifyOperation):
    """The rows go to the caller."""
