from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from sql_client.rendering import Display, render
from sql_client.session import ClientSession

Render = Callable[..., str]


@pytest.fixture
def shown(session: ClientSession) -> Render:
    """Returns the rendered result of a statement."""

    def run(statement: str, mode: str, **options: Any) -> str:
        output = io.StringIO()
        render(session.env.execute_sql(statement), Display(mode, **options), output)
        return output.getvalue()

    return run
