"""Facts of ``DropUpdateBeforeQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import DropUpdateBeforeQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import same

register(DropUpdateBeforeQueryOperation, NodeFacts(keys=same, monotonicity=same, forwards_watermarks=True))
