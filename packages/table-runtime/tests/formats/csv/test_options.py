from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_runtime.formats.csv import options as opt


@pytest.mark.parametrize(("text", "value"), [("Latin-1", "iso8859-1"), ("UTF8", "utf-8"), ("cp1252", "cp1252")])
def test_encodings_have_one_name(text: str, value: str) -> None:
    assert opt.ENCODING.parse(text) == value


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ValidationException, match="'encoding' takes an encoding such as 'latin-1', but got 'latin-99'"):
        opt.ENCODING.parse("latin-99")


@pytest.mark.parametrize(("text", "value"), [(";", ";"), ("\\t", "\t")])
def test_a_delimiter_is_one_character(text: str, value: str) -> None:
    assert opt.FIELD_DELIMITER.parse(text) == value


@pytest.mark.parametrize("name", ["hex", "zip", "rot13", "undefined", "no-such-encoding"])
def test_codecs_that_are_no_encodings_of_text_are_refused(name: str) -> None:
    with pytest.raises(ValidationException, match="'encoding' takes an encoding"):
        opt.ENCODING.parse(name)
