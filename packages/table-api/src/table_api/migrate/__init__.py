"""``python -m table_api.migrate``: rewrites the imports of programs written for PyFlink, and lists what has no counterpart."""

from __future__ import annotations

from table_api.migrate.program import Finding, Migration, migrate

__all__ = ["Finding", "Migration", "migrate"]
