"""Which columns of a table the key has, and which the value."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types import RowField, RowType


@dataclass(frozen=True)
class RecordColumns:
    """The physical columns of a table, by position, in key and value. A column can be in both."""

    physical: RowType
    key: tuple[int, ...]
    value: tuple[int, ...]
    prefix: str = ""
    """The beginning of the names of the key's columns that the key itself does not have."""

    @staticmethod
    def of(physical: RowType, key_fields: Sequence[str], prefix: str, is_key_in_value: bool, where: str) -> RecordColumns:
        """Returns the columns.

        Raises:
            ValidationException: a column of the key does not exist, lacks the prefix, or would be in key and value with a prefix.
        """
        names = physical.field_names
        if prefix and is_key_in_value:
            raise ValidationException(
                f"The option 'key.fields-prefix' of {where} needs 'value.fields-include' = 'EXCEPT_KEY': the value would have columns with the prefix."
            )
        for name in key_fields:
            if name not in names:
                raise ValidationException.unknown("The column of 'key.fields'", name, names, where=where)
            if not name.startswith(prefix):
                raise ValidationException(f"The column '{name}' of 'key.fields' of {where} does not begin with the prefix '{prefix}'.")
        key = tuple(names.index(name) for name in key_fields)
        value = tuple(index for index in range(len(names)) if is_key_in_value or index not in key)
        return RecordColumns(physical, key, value, prefix)

    @property
    def key_type(self) -> RowType:
        """The row of the key."""
        fields = (self.physical.fields[index] for index in self.key)
        return RowType(tuple(RowField(field.name.removeprefix(self.prefix), field.type) for field in fields), nullable=False)

    @property
    def value_type(self) -> RowType:
        """The row of the value."""
        return RowType(tuple(self.physical.fields[index] for index in self.value), nullable=False)
