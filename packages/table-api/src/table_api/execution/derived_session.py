"""A session with other options over the catalogs, functions and jobs of another one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING

from table_api.catalog.view_expansion import ViewExpansion
from table_api.environment_settings import EnvironmentSettings
from table_api.table_config import TableConfig
from table_common.configuration import Configuration

if TYPE_CHECKING:
    from table_api.execution.session import TableSession


def derived_session(session: TableSession, options: Mapping[str, str]) -> TableSession:
    """Returns a session with other options, planner and mode, for jobs of its own; it ends with the other one, with which it shares everything else."""
    configuration = {**session.configuration.to_map(), **options}
    key = frozenset(configuration.items())
    with session._lock:
        session._check_open()
        if key not in session.derived_sessions:
            session._started_inserts()
            session.derived_sessions[key] = _derived(session, Configuration(configuration))
        return session.derived_sessions[key]


def _derived(session: TableSession, configuration: Configuration) -> TableSession:
    derived = copy(session)
    derived.settings = EnvironmentSettings(configuration)
    derived.config = TableConfig(derived.settings.get_configuration())
    derived.catalog_manager = copy(session.catalog_manager)
    derived.catalog_manager.schema_resolver = derived.new_schema_resolver()
    derived._planner = None
    derived.derived_sessions = {}
    derived._views = ViewExpansion()
    derived._lock = threading.RLock()
    return derived
