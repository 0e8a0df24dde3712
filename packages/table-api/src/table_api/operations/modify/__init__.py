"""Operations that an engine executes."""

from table_api.operations.modify.sink import CollectModifyOperation, ModifyOperation, SinkModifyOperation

__all__ = ["CollectModifyOperation", "ModifyOperation", "SinkModifyOperation"]
