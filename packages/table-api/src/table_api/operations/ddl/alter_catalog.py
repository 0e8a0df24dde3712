"""ALTER CATALOG."""

from __future__ import annotations

from collections.abc import Mapping

from table_api.operations.operation import Operation
from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class AlterCatalogOperation(Operation):
    """``ALTER CATALOG name SET (…) | RESET (…) | COMMENT '…'``: what is set, the keys that are taken away, the new comment."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    reset_keys: tuple[str, ...] = ()
    comment: str | None = None
