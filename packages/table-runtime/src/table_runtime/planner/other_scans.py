"""Leaves of plans that this engine does not read, but another one that runs the plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa

from table_api.operations import QueryOperation
from table_runtime.run.operator import Operator

OtherScan: TypeAlias = Callable[[QueryOperation, object, pa.Schema], Operator | None]
"""Returns a scan for a leaf of a plan, its provider (None: it is no source), and the schema of the rows; None: the other engine does not read it either."""
