"""Partitions of tables: the values of their partition keys, and their metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Self

from table_common.catalog.described_object import WithProperties
from table_common.catalog_exceptions import PartitionSpecInvalidException, TableNotPartitionedException
from table_common.frozen_dataclass import dataclass
from table_common.object_names import check_no_nul


@dataclass(frozen=True, eq=False)
class CatalogPartitionSpec:
    """Values of partition keys as text; None is the partition of rows where the key is NULL.

    With values for only some keys it selects all partitions that have these values. Equality ignores the order of the keys.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogPartitionSpec``.

    Example:
        >>> str(CatalogPartitionSpec({"day": "2026-01-01", "hour": "7"}))
        'day=2026-01-01/hour=7'
    """

    partition_spec: Mapping[str, str | None]

    def __post_init__(self) -> None:
        for value in self.partition_spec.values():
            check_no_nul(value or "", "the value of a partition")
        object.__setattr__(self, "partition_spec", MappingProxyType(dict(self.partition_spec)))

    def get_partition_spec(self) -> dict[str, str | None]:
        """Returns the values by key, under PyFlink's name."""
        return dict(self.partition_spec)

    def contains(self, other: CatalogPartitionSpec) -> bool:
        """Returns whether ``other`` has all values that this one has."""
        return self.partition_spec.items() <= other.partition_spec.items()

    def completed(self, keys: Sequence[str], where: str) -> Self:
        """Returns the values in the order of the table's keys.

        Raises:
            CatalogException: a key is missing, or one is not a key of the table; ``where`` names the table.
        """
        self.check_keys(keys, where)
        missing = [key for key in keys if key not in self.partition_spec]
        if missing:
            raise PartitionSpecInvalidException(
                f"The partition ({self}) of {where} has no value of {_joined(missing)}; its keys are {_joined(keys)}."
            )
        return type(self)({key: self.partition_spec[key] for key in keys})

    def check_keys(self, keys: Sequence[str], where: str) -> None:
        """Checks that the values are of partition keys of the table.

        Raises:
            CatalogException: the table has no partitions, or one of the keys is not the table's.
        """
        if not keys:
            raise TableNotPartitionedException(f"{where} is not partitioned.", hint="CREATE TABLE … PARTITIONED BY (…)")
        for key in self.partition_spec:
            if key not in keys:
                raise PartitionSpecInvalidException.unknown("Partition key", key, keys, where=where)

    def to_text(self, default_name: str = "__HIVE_DEFAULT_PARTITION__") -> str:
        """Returns ``key=value/key=value``, with ``default_name`` for a value of None."""
        return "/".join(f"{key}={default_name if value is None else value}" for key, value in self.partition_spec.items())

    def __str__(self) -> str:
        return self.to_text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogPartitionSpec) and self.partition_spec == other.partition_spec

    def __hash__(self) -> int:
        return hash(frozenset(self.partition_spec.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.partition_spec),)


@dataclass(frozen=True)
class CatalogPartition(WithProperties):
    """The metadata of a partition: properties and a comment.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogPartition``.

    Example:
        >>> CatalogPartition({"owner": "sales"}, comment="the first day").properties["owner"]
        'sales'
    """


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
