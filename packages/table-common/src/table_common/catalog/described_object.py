"""What databases and partitions consist of: properties and a comment."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from table_common.frozen_dataclass import dataclass, field


@dataclass(frozen=True)
class WithProperties:
    """Properties and a comment, with PyFlink's getters."""

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", MappingProxyType(dict(self.properties)))

    @classmethod
    def create_instance(cls, properties: Mapping[str, str], comment: str | None = None) -> Self:
        """Returns an instance; PyFlink's constructor."""
        return cls(properties, comment)

    def get_properties(self) -> dict[str, str]:
        """Returns the properties."""
        return dict(self.properties)

    def get_comment(self) -> str | None:
        """Returns the comment, if there is one."""
        return self.comment

    def get_description(self) -> str | None:
        """Returns the comment, under PyFlink's other name."""
        return self.comment

    def get_detailed_description(self) -> str | None:
        """Returns the comment, which is the only description."""
        return self.comment

    def copy(self) -> Self:
        """Returns the object itself: it cannot be changed."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.properties), self.comment)
