"""The errors of catalogs by what exists or does not, under the names that programs of PyFlink catch."""

from __future__ import annotations

from table_common.exceptions import CatalogException

__all__ = [
    "DatabaseAlreadyExistException",
    "DatabaseNotEmptyException",
    "DatabaseNotExistException",
    "FunctionAlreadyExistException",
    "FunctionNotExistException",
    "ModelAlreadyExistException",
    "ModelNotExistException",
    "PartitionAlreadyExistsException",
    "PartitionNotExistException",
    "PartitionSpecInvalidException",
    "TableAlreadyExistException",
    "TableNotExistException",
    "TableNotPartitionedException",
]


class DatabaseAlreadyExistException(CatalogException):
    """A database of that name exists.

    Example:
        >>> raise DatabaseAlreadyExistException("Database 'sales' exists already in catalog 'c'.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.DatabaseAlreadyExistException: Database 'sales' exists already in catalog 'c'.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException``.
    """


class DatabaseNotEmptyException(CatalogException):
    """The database has tables, views or functions, and is to be dropped without them.

    Example:
        >>> raise DatabaseNotEmptyException("Database 'sales' of catalog 'c' is not empty.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.DatabaseNotEmptyException: Database 'sales' of catalog 'c' is not empty.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException``.
    """


class DatabaseNotExistException(CatalogException):
    """There is no database of that name.

    Example:
        >>> raise DatabaseNotExistException("Database 'sale' does not exist.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.DatabaseNotExistException: Database 'sale' does not exist.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.DatabaseNotExistException``.
    """


class FunctionAlreadyExistException(CatalogException):
    """A function of that name exists.

    Example:
        >>> raise FunctionAlreadyExistException("Function 'f' exists already.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.FunctionAlreadyExistException: Function 'f' exists already.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.FunctionAlreadyExistException``.
    """


class FunctionNotExistException(CatalogException):
    """There is no function of that name.

    Example:
        >>> raise FunctionNotExistException("Function 'f' does not exist.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.FunctionNotExistException: Function 'f' does not exist.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.FunctionNotExistException``.
    """


class ModelAlreadyExistException(CatalogException):
    """A model of that name exists.

    Example:
        >>> raise ModelAlreadyExistException("Model 'm' exists already.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.ModelAlreadyExistException: Model 'm' exists already.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.ModelAlreadyExistException``.
    """


class ModelNotExistException(CatalogException):
    """There is no model of that name.

    Example:
        >>> raise ModelNotExistException("Model 'm' does not exist.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.ModelNotExistException: Model 'm' does not exist.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.ModelNotExistException``.
    """


class PartitionAlreadyExistsException(CatalogException):
    """The table has that partition.

    Example:
        >>> raise PartitionAlreadyExistsException("Partition (day='1') exists already in table d.t.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.PartitionAlreadyExistsException: Partition (day='1') exists already in table d.t.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.PartitionAlreadyExistsException``.
    """


class PartitionNotExistException(CatalogException):
    """The table has no such partition.

    Example:
        >>> raise PartitionNotExistException("Partition 'day=1' does not exist in table d.t.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.PartitionNotExistException: Partition 'day=1' does not exist in table d.t.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.PartitionNotExistException``.
    """


class PartitionSpecInvalidException(CatalogException):
    """The values do not identify a partition of the table.

    Example:
        >>> raise PartitionSpecInvalidException("The partition (day='1') of d.t has no value of 'hour'; its keys are 'day' and 'hour'.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.PartitionSpecInvalidException: The partition (day='1') of d.t has no value of 'hour'; its keys are 'day' and 'hour'.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.PartitionSpecInvalidException``.
    """


class TableAlreadyExistException(CatalogException):
    """A table or view of that name exists.

    Example:
        >>> raise TableAlreadyExistException("Table or view d.t exists already in catalog 'c'.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.TableAlreadyExistException: Table or view d.t exists already in catalog 'c'.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.TableAlreadyExistException``.
    """


class TableNotExistException(CatalogException):
    """There is no table or view of that name.

    Example:
        >>> raise TableNotExistException("Table 't' does not exist in c.d.")
        Traceback (most recent call last):
        table_common.catalog_exceptions.TableNotExistException: Table 't' does not exist in c.d.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.TableNotExistException``.
    """


class TableNotPartitionedException(CatalogException):
    """The table has no partitions.

    Example:
        >>> raise TableNotPartitionedException('d.t is not partitioned.')
        Traceback (most recent call last):
        table_common.catalog_exceptions.TableNotPartitionedException: d.t is not partitioned.

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.TableNotPartitionedException``.
    """
