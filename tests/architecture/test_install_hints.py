"""Install hints name only distributions of this project, because users copy them, and anybody could register an unowned name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from table_common.factories.factory import INSTALL_HINTS

if TYPE_CHECKING:
    from conftest import Repository

_COMMAND = re.compile(r"pip install (?:--?\w+ )*[\"'\\]*([\w.-]+)")


def test_hints_of_factories_name_distributions_of_this_repository(repository: Repository) -> None:
    ours = {distribution.name for distribution in repository.distributions.values()}
    assert {hint.partition("[")[0] for hint in INSTALL_HINTS.values()} <= ours


def test_commands_in_messages_name_distributions_of_this_repository(repository: Repository) -> None:
    ours = {path.parent.name for path in repository.root.glob("packages/*/pyproject.toml")}
    named = {
        name: str(source)
        for distribution in repository.distributions.values()
        for source in distribution.sources
        for name in _COMMAND.findall(source.read_text())
    }
    assert {name: source for name, source in named.items() if name not in ours} == {}
