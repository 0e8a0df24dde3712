"""Graphs of all operators, made once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers
from all_graphs import Graphs


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graphs]:
    made = Graphs(tmp_path_factory.mktemp("graphs"))
    yield made
    made.close()
