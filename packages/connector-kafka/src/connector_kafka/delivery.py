"""What a sink guarantees if a commit is repeated."""

from __future__ import annotations

import hashlib

from table_common.frozen_dataclass import dataclass

TRANSACTIONAL = "transactional"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The value of ``sink.delivery-guarantee``, and the first part of the identifiers of transactions."""

    name: str
    transactional_prefix: str

    @property
    def is_exactly_once(self) -> bool:
        """Whether messages have numbers, after which a repeated commit continues."""
        return self.name in ("exactly-once", TRANSACTIONAL)

    def transactional_id(self, topic: str, job_id: str) -> str | None:
        """Returns the ``transactional.id`` of a job's writes to a topic, the same in each attempt; None if there are no transactions."""
        if self.name != TRANSACTIONAL:
            return None
        return f"{self.transactional_prefix}-{hashlib.sha256(chr(0).join((topic, job_id)).encode()).hexdigest()[:32]}"
