"""Factories of formats: names, options, and whether they read and write files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from table_common.factories.factory import Factory

__all__ = ["FormatFactory"]


class FormatFactory(Factory):
    """A format such as ``csv``; an engine finds the reader and writer for its identifier."""

    GROUP: ClassVar[str] = "table.formats"
    KIND: ClassVar[str] = "format"

    def validate(self, options: Mapping[str, str]) -> None:
        """Checks the format's own options, given without the prefix ``<format>.``.

        Raises:
            ValidationException: an option is unknown or its value cannot be read.
        """
        from table_common.factories.option_validation import validate_options

        validate_options(options, self.required_options, self.optional_options, f"format '{self.factory_identifier}'")
