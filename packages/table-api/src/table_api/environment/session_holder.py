"""What all groups of methods of ``TableEnvironment`` hold: the session."""

from __future__ import annotations

from table_api.execution import TableSession


class SessionHolder:
    """Has the session, whose parts do the work: the managers of catalogs, functions, modules and models, and the engine."""

    def __init__(self, session: TableSession) -> None:
        """Internal; use ``create``."""
        self._session = session

    @property
    def session(self) -> TableSession:
        """The state that the environment shares with its tables: catalogs, functions, options and engine."""
        return self._session
