"""Texts with too many tokens: cut, skipped or refused."""

from __future__ import annotations

import logging
import sys
from types import ModuleType

import pytest

from table_common.configuration import Configuration
from table_common.exceptions import ValidationException
from table_runtime.connectors.openai_context import context_limit


class Words:
    """A vocabulary in which each character is a token."""

    def encode(self, text: str, disallowed_special: object) -> list[int]:
        assert disallowed_special == ()
        return [ord(character) for character in text]

    def decode(self, tokens: list[int], errors: str) -> str:
        assert errors == "ignore"
        return "".join(map(chr, tokens))


@pytest.fixture(autouse=True)
def tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    package, models = ModuleType("tiktoken"), ModuleType("tiktoken.model")
    package.encoding_for_model = lambda model: Words()  # type: ignore[attr-defined]
    models.encoding_name_for_model = {"m": "words"}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", package)
    monkeypatch.setitem(sys.modules, "tiktoken.model", models)


@pytest.mark.parametrize(
    ("action", "sent"),
    [(None, "hell"), ("truncated-tail", "hell"), ("truncated-head", "llo!"), ("skipped", None), ("TRUNCATED-HEAD-LOG", "llo!")],
)
def test_a_longer_text_is_cut_or_skipped(action: str | None, sent: str | None, caplog: pytest.LogCaptureFixture) -> None:
    options = {"max-context-size": "4", **({} if action is None else {"context-overflow-action": action})}
    limit = context_limit(Configuration(options), "m", "model a.b.m")
    assert limit is not None
    with caplog.at_level(logging.WARNING, "table.models"):
        assert limit.counting().cut("hello!") == sent
    assert limit.counting().cut("hell") == "hell"
    assert ("model a.b.m: a text has 6 tokens, and 4 are sent at most" in caplog.text) is bool(action and action.lower().endswith("-log"))


def test_without_a_size_nothing_is_counted() -> None:
    assert context_limit(Configuration({}), "unknown", "model m") is None


@pytest.mark.parametrize(
    ("options", "model", "message"),
    [
        ({"max-context-size": "0"}, "m", "'max-context-size' of model m is 0, but must be at least 1"),
        ({"context-overflow-action": "skipped"}, "m", "'context-overflow-action' of model m needs 'max-context-size'"),
        ({"max-context-size": "4"}, "mistral", "'mistral' is none that tiktoken knows"),
        ({"max-context-size": "4", "context-overflow-action": "drop"}, "m", "truncated-tail"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, str], model: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        context_limit(Configuration(options), model, "model m")


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.delitem(sys.modules, "tiktoken.model")
    with pytest.raises(ValidationException, match="needs the package tiktoken"):
        context_limit(Configuration({"max-context-size": "4"}), "m", "model m")
