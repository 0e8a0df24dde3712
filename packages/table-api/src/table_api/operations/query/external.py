"""A plan node that an engine's bridge defines, such as an existing DataFrame."""

from __future__ import annotations

from abc import abstractmethod

from table_api.operations.operation import QueryOperation


class ExternalQueryOperation(QueryOperation):
    """A leaf whose rows come from outside of any catalog; subclassed by bridges (frozen dataclasses), refused by other engines."""

    __slots__ = ()

    @property
    def is_bounded(self) -> bool:
        """Whether the rows end; by default they do."""
        return True

    @property
    @abstractmethod
    def refusal(self) -> str:
        """Why engines that do not know the subclass cannot run it, and what to do instead."""
