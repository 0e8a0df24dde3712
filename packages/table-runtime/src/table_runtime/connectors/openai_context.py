"""``max-context-size`` of the provider ``openai``: texts with more tokens are cut or skipped before they are sent.

The package tiktoken counts the tokens of OpenAI's models. It loads their vocabularies from the network, once for its cache (``TIKTOKEN_CACHE_DIR``).
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

from table_common.configuration import ConfigOptions, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

_LOG = logging.getLogger("table.models")
MAX_CONTEXT_SIZE = (
    ConfigOptions.key("max-context-size")
    .int_type()
    .no_default_value()
    .with_description("The maximal number of tokens of a text; it needs the package tiktoken.")
)
CONTEXT_OVERFLOW_ACTION = (
    ConfigOptions.key("context-overflow-action")
    .enum_type("truncated-tail", "truncated-tail-log", "truncated-head", "truncated-head-log", "skipped", "skipped-log")
    .default_value("truncated-tail")
    .with_description("What happens with a longer text: its end or its beginning is cut, or its row is left out; -log says so in the log.")
)


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """How many tokens of a model a text may have, and what happens with longer ones; it can be pickled."""

    model: str
    most: int
    action: str
    where: str

    def counting(self) -> _Counting:
        """Returns what cuts texts, with the vocabulary of the model."""
        return _Counting(self, import_module("tiktoken").encoding_for_model(self.model))


class _Counting:
    def __init__(self, limit: ContextLimit, encoding: Any) -> None:
        self._limit, self._encoding = limit, encoding

    def cut(self, text: str) -> str | None:
        """Returns what is sent of a text; None if its row is left out."""
        limit = self._limit
        if len(text.encode()) <= limit.most:
            return text  # a token has a byte or more
        tokens = self._encoding.encode(text, disallowed_special=())
        if len(tokens) <= limit.most:
            return text
        if limit.action.endswith("-log"):
            _LOG.warning("%s: a text has %d tokens, and %d are sent at most: %s", limit.where, len(tokens), limit.most, limit.action)
        if limit.action.startswith("skipped"):
            return None
        is_tail = limit.action.startswith("truncated-tail")
        cut: str = self._encoding.decode(tokens[: limit.most] if is_tail else tokens[-limit.most :], errors="ignore")
        return cut


def context_limit(config: ReadableConfig, model: str, where: str) -> ContextLimit | None:
    """Returns the limit that the options of a model say; None without one.

    Raises:
        ValidationException: it is less than 1, there is an action without a limit, tiktoken is not installed, or it does not know the model.
    """
    most = config.get_optional(MAX_CONTEXT_SIZE)
    if most is None:
        if CONTEXT_OVERFLOW_ACTION.key in config:
            raise ValidationException(f"The option '{CONTEXT_OVERFLOW_ACTION.key}' of {where} needs '{MAX_CONTEXT_SIZE.key}'.")
        return None
    if most < 1:
        raise ValidationException(f"The option '{MAX_CONTEXT_SIZE.key}' of {where} is {most}, but must be at least 1.")
    try:
        models = import_module("tiktoken.model")
    except ImportError as error:
        raise ValidationException(
            f"The option '{MAX_CONTEXT_SIZE.key}' of {where} needs the package tiktoken, which counts tokens.",
            hint="install it, or cut the text in SQL: LEFT(text, 4000)",
        ) from error
    try:
        models.encoding_name_for_model(model)
    except KeyError as error:
        raise ValidationException(
            f"The option '{MAX_CONTEXT_SIZE.key}' of {where} counts the tokens of OpenAI's models, and '{model}' is none that tiktoken knows.",
            hint="cut the text in SQL: LEFT(text, 4000)",
        ) from error
    return ContextLimit(model, most, config.get(CONTEXT_OVERFLOW_ACTION).lower(), where)
