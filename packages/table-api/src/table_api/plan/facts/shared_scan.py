"""Facts of ``SharedScanQueryOperation``."""

from __future__ import annotations

from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_rows, rebuilt_rows
from table_api.plan.shared_scan import SharedScanQueryOperation

register(SharedScanQueryOperation, NodeFacts(needs=needs_rows, rebuilt=rebuilt_rows))
