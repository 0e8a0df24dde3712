"""The factory of the format ``parquet``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption
from table_common.factories import FormatFactory
from table_runtime.formats.parquet.options import COMPRESSION


class ParquetFormatFactory(FormatFactory):
    """The format ``parquet``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "parquet"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (COMPRESSION,)
