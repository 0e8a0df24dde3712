"""Secret options are masked, and references to the environment resolved, each in one place."""

from __future__ import annotations

import pytest

from table_common.configuration import ConfigOptions, resolve_references, resolved_options
from table_common.exceptions import SourcePosition, ValidationException
from table_common.factories import validate_options
from table_common.redaction import redact_error
from table_common.secrets import is_secret_key, mask_options, mask_text


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "PASSWORD",
        "db.secret",
        "fs.azure.account.key",
        "apikey",
        "api-key",
        "api_key",
        "auth-params",
        "service-key",
        "scan.token",
        "basic-auth",
        "properties.sasl.jaas.config",
        "http-headers",
    ],
)
def test_keys_of_secrets_are_flinks(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize("key", ["path", "format", "primary", "fs.azure.account", "header"])
def test_other_keys_are_shown(key: str) -> None:
    assert not is_secret_key(key)


def test_masked_options_keep_their_keys() -> None:
    assert mask_options({"path": "/x", "password": "hunter2"}) == {"path": "/x", "password": "******"}


def test_unknown_option_is_shown_beside_masked_ones() -> None:
    with pytest.raises(ValidationException) as caught:
        validate_options({"password": "hunter2", "paht": "/x"}, (), (), "the table")
    assert "'password'='******'" in str(caught.value)


def test_value_of_a_secret_option_that_cannot_be_read_is_masked() -> None:
    option = ConfigOptions.key("token.count").int_type().no_default_value()
    with pytest.raises(ValidationException, match=r"but got \*\*\*\*\*\*"):
        option.parse("hunter2")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("WITH ('password' = 'hunter2', 'path'='x')", "WITH ('password' = '******', 'path'='x')"),
        ("SET 'api-key'='it''s'", "SET 'api-key'='******'"),
        ("WITH ('token' = 'abc", "WITH ('token' = '******"),
        ("SELECT 'password' AS p, 'a' = 'b'", "SELECT 'password' AS p, 'a' = 'b'"),
    ],
)
def test_secrets_of_a_statement_are_masked(text: str, masked: str) -> None:
    assert mask_text(text)[0] == masked


def test_caret_stays_at_its_place_behind_a_masked_secret() -> None:
    text = "WITH ('password' = 'hunter2', 'k' = 'v') oops"
    shown = SourcePosition.of_offset(text, text.index("oops"), len(text)).excerpt().splitlines()
    assert (shown[0][shown[1].index("^") :], "hunter2" in shown[0]) == ("oops", False)


def test_references_are_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_HOST", "db.example")
    options = {"url": "jdbc:x://${env:DB_HOST}:5432/${env:DB_HOST}", "other": "${file:x} $HOME"}
    assert resolve_references(options, "table t") == {"url": "jdbc:x://db.example:5432/db.example", "other": "${file:x} $HOME"}


def test_missing_variable_is_named_with_its_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOPE", raising=False)
    with pytest.raises(
        ValidationException, match="Option 'password' of table t refers to the environment variable 'NOPE', which is not set"
    ):
        resolve_references({"password": "${env:NOPE}"}, "table t")


@pytest.mark.parametrize("reference", ["${env:}", "${env:a-b}", "${env: X}"])
def test_reference_without_a_name_is_refused(reference: str) -> None:
    with pytest.raises(ValidationException, match="which is not the name of an environment variable"):
        resolve_references({"path": reference}, "table t")


def test_error_shows_references_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_HOST", "db.example")
    options = {"url": "x://${env:DB_HOST}/y", "password": "hunter2"}
    error = ValidationException("x://db.example/y refused hunter2; is db.example up?", hint="not hunter2")
    redact_error(error, options)
    assert str(error) == "x://${env:DB_HOST}/y refused ******; is ${env:DB_HOST} up?\nhint: not ******"


def test_error_that_leaves_the_context_shows_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hunter2")
    with pytest.raises(ValidationException) as caught, resolved_options({"token": "${env:TOKEN}"}, "catalog c") as options:
        raise ValidationException(f"refused: {options['token']}")
    assert (str(caught.value), caught.value.args) == ("refused: ******", ("refused: ******",))
