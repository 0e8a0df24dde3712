"""Factories of modules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from table_common.configuration import ReadableConfig
from table_common.factories import Factory
from table_common.frozen_dataclass import dataclass, field
from table_common.module.module import Module


class ModuleFactory(Factory):
    """Creates modules; the name of its entry point is the module's type in LOAD MODULE.

    Source: Flink's ``org.apache.flink.table.factories.ModuleFactory``.

    Example:
        >>> class GreetingsFactory(ModuleFactory):
        ...     factory_identifier = "greetings"
        ...     def create_module(self, context):
        ...         return Greetings(context.options.get("language", "en"))
        >>> ModuleFactory.Context({"language": "de"}).options["language"]
        'de'
    """

    GROUP: ClassVar[str] = "table.modules"
    KIND: ClassVar[str] = "module"

    @dataclass(frozen=True, slots=True)
    class Context:
        """The module to create: its options without ``type``, the session's configuration, and its planner.

        ``planner`` returns the session's planner, which is chosen at the first call; None without a session. Only modules of an engine,
        such as Spark's, need it.
        """

        options: Mapping[str, str] = field(default_factory=dict)
        configuration: ReadableConfig = field(default_factory=ReadableConfig)
        planner: Callable[[], object] | None = None

    @abstractmethod
    def create_module(self, context: Context) -> Module:
        """Returns a module; must validate its options.

        Raises:
            ValidationException: an option is missing, unknown or invalid.
        """
