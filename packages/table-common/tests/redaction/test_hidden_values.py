"""Errors show no hidden values, and nor do the errors that caused them."""

from __future__ import annotations

import traceback

import pytest

from table_common.catalog import CatalogTable, Schema
from table_common.configuration import resolved_options
from table_common.exceptions import TableException
from table_common.redaction import HiddenValues
from table_common.secrets import mask_options

S = "hunter2Zq"


class _Stubborn(Exception):
    """Computes its text, as errors of other libraries do."""

    def __str__(self) -> str:
        return f"refused {S}"


@pytest.mark.parametrize(
    "cause",
    [ValueError(f"refused {S}"), _Stubborn(), FileNotFoundError(2, "No such file", f"/x/{S}"), ExceptionGroup("several", [ValueError(S)])],
)
def test_traceback_of_a_chained_error_shows_no_value(cause: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", S)
    cause.add_note(f"note {S}")
    with pytest.raises(TableException) as caught, resolved_options({"path": "/x/${env:PLACE}"}, "table t"):
        raise TableException("Cannot read.") from cause
    assert S not in "".join(traceback.format_exception(caught.value))


def test_cause_of_an_error_stays_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", S)
    with pytest.raises(TableException) as caught, resolved_options({"path": "${env:PLACE}"}, "table t"):
        raise TableException("Cannot read.") from ValueError(f"refused {S}")
    assert (type(caught.value.__cause__), str(caught.value.__cause__)) == (ValueError, "refused ${env:PLACE}")


def test_short_value_is_replaced_as_a_word_only() -> None:
    assert HiddenValues.of_options({"password": "able"}).in_text("Table able") == "Table ******"


def test_password_of_a_url_is_hidden_outside_the_url() -> None:
    assert HiddenValues.of_options({"url": f"https://u:{S}@h"}).in_text(f"login with {S} failed") == "login with ****** failed"


def test_user_info_of_a_url_is_masked_among_options() -> None:
    assert mask_options({"url": f"https://u:{S}@h/x"}) == {"url": "https://******@h/x"}


def test_repr_of_a_catalog_table_shows_no_secrets() -> None:
    assert S not in repr(CatalogTable(Schema.new_builder().build(), None, {"password": S, "url": f"https://u:{S}@h/x"}))


def test_error_of_a_file_keeps_its_form() -> None:
    error = FileNotFoundError(2, "No such file", f"/x/{S}")
    HiddenValues([(S, "******")]).in_error(error)
    assert str(error) == "[Errno 2] No such file: '/x/******'"
