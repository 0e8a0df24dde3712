"""The factory of the format ``orc``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from table_common.annotation import override
from table_common.configuration import ConfigOption
from table_common.factories import FormatFactory
from table_runtime.formats.orc.options import COMPRESS, READ_IN_PROCESS


class OrcFormatFactory(FormatFactory):
    """The format ``orc``."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "orc"

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (COMPRESS, READ_IN_PROCESS)
