"""Factories of modules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
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
        """The module that is made: its options and the session's configuration."""

        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)

    @abstractmethod
    def create_module(self, context: Context) -> Module:
        """Returns a module; validates its options."""
