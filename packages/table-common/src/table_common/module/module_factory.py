"""Factories of modules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from table_common.configuration import ReadableConfig
from table_common.factories import Factory
from table_common.frozen_dataclass import dataclass, field
from table_common.module.module import Module

__all__ = ["ModuleFactory"]


class ModuleFactory(Factory):
    """Makes modules; the entry point's name is what LOAD MODULE names."""

    GROUP: ClassVar[str] = "table.modules"
    KIND: ClassVar[str] = "module"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The module that is made: its options without ``type``, the session's configuration, and its planner.

        ``planner`` returns the session's planner, which it chooses at the first call; None where there is no session. A module that lives
        in an engine, as Spark's does, asks for it; others leave it alone.
        """

        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)
        planner: Callable[[], object] | None = None

    @abstractmethod
    def create_module(self, context: Context) -> Module:
        """Returns a module; validates its options."""
