"""The provider ``openai``: chat completions and embeddings of any endpoint that speaks OpenAI's protocol.

The path of ``endpoint`` says which of both it is. INPUT is one text. OUTPUT is one text, or ARRAY<FLOAT> for embeddings, and optionally the columns
``error-string``, ``http-status-code`` and ``http-headers-map``, which say why a row has no answer. A NULL is not sent and gives no row. The key is
sent to the endpoint, and stands in no message and no plan.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from table_common.annotation import override
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import AsyncPredictFunction, AsyncPredictRuntimeProvider, Predictions
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import ModelProviderFactory
from table_common.functions import FunctionContext
from table_common.types import ArrayType, CharacterType, FloatType, IntType, MapType, VarCharType
from table_runtime.connectors.openai_context import CONTEXT_OVERFLOW_ACTION, MAX_CONTEXT_SIZE, context_limit

_LOG = logging.getLogger("table.models")
_ENDPOINT = (
    ConfigOptions.key("endpoint")
    .string_type()
    .no_default_value()
    .with_description("The URL of the endpoint, which ends in '/chat/completions' or '/embeddings'.")
)
_KEY = ConfigOptions.key("api-key").string_type().no_default_value().with_description("The key of the endpoint, a secret.")
_MODEL = ConfigOptions.key("model").string_type().no_default_value().with_description("The name of the model at the endpoint.")
_STRATEGY = (
    ConfigOptions.key("error-handling-strategy")
    .enum_type("retry", "failover", "ignore")
    .default_value("retry")
    .with_description("What a failed request does: it is sent again, fails the job, or its rows are left out.")
)
_RETRIES = ConfigOptions.key("retry-num").int_type().default_value(100).with_description("How often a request is sent again at most.")
_FALLBACK = (
    ConfigOptions.key("retry-fallback-strategy")
    .enum_type("failover", "ignore")
    .default_value("failover")
    .with_description("What a request does that fails after all its attempts.")
)
_BACKOFF = (
    ConfigOptions.key("retry-backoff-base-interval")
    .duration_type()
    .no_default_value()
    .with_description("The wait before the second attempt, by default 100 ms; it doubles with each, up to 30 s.")
)
_PROMPT = (
    ConfigOptions.key("system-prompt")
    .string_type()
    .default_value("You are a helpful assistant.")
    .with_description("The message of the system before that of the row.")
)
_CHAT_PARAMETERS: dict[str, ConfigOption[Any]] = {
    "temperature": ConfigOptions.key("temperature").float_type().no_default_value().with_description("How random answers are."),
    "top_p": ConfigOptions.key("top-p").float_type().no_default_value().with_description("The share of probable words to choose from."),
    "stop": ConfigOptions.key("stop").string_type().no_default_value().with_description("Texts, with commas between, that end an answer."),
    "max_tokens": ConfigOptions.key("max-tokens").int_type().no_default_value().with_description("The maximal length of an answer."),
    "presence_penalty": ConfigOptions.key("presence-penalty")
    .float_type()
    .no_default_value()
    .with_description("How much words that occurred are avoided."),
    "n": ConfigOptions.key("n").int_type().no_default_value().with_description("The number of answers; each is a row."),
    "seed": ConfigOptions.key("seed").int_type().no_default_value().with_description("The seed of the answers."),
}
_FORMAT = (
    ConfigOptions.key("response-format").enum_type("text", "json_object").no_default_value().with_description("The form of the answer.")
)
_DIMENSION = ConfigOptions.key("dimension").int_type().no_default_value().with_description("The length of the vectors, for embeddings.")
_BATCH_SIZE = (
    ConfigOptions.key("batch-size")
    .int_type()
    .no_default_value()
    .with_description("The maximal number of rows of a request for embeddings.")
)
_TEXT = VarCharType()
_METADATA = {
    "error-string": _TEXT,
    "http-status-code": IntType(),
    "http-headers-map": MapType(_TEXT, ArrayType(_TEXT)),
}
_LONGEST_WAIT = 30.0
_LONGEST_TEXT = 300


class OpenAIModelProviderFactory(ModelProviderFactory):
    """Makes models of endpoints."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "openai"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (_ENDPOINT, _MODEL)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        shared = (_KEY, _STRATEGY, _RETRIES, _FALLBACK, _BACKOFF, MAX_CONTEXT_SIZE, CONTEXT_OVERFLOW_ACTION)
        return (*shared, _PROMPT, *_CHAT_PARAMETERS.values(), _FORMAT, _DIMENSION, _BATCH_SIZE)

    @override
    def create_model_provider(self, context: ModelProviderFactory.Context) -> OpenAIModelProvider:
        where = context.where
        config = self.validated_options(context)
        text = config.get(_ENDPOINT) or ""
        url = urlsplit(text)
        if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query:
            raise ValidationException(
                f"The option 'endpoint' of {where} is no URL of an endpoint.", hint="https://api.openai.com/v1/chat/completions"
            )
        path = url.path.rstrip("/")
        if not path.endswith(("/chat/completions", "/embeddings")):
            raise ValidationException(
                f"The option 'endpoint' of {where} ends in '{path.rpartition('/')[2]}'; accepted are '/chat/completions' and '/embeddings'."
            )
        is_chat = path.endswith("/chat/completions")
        endpoint = context.gate.url(text, f"The option 'endpoint' of {where}")
        useless = _DIMENSION, _BATCH_SIZE
        for option in useless if is_chat else (_PROMPT, _FORMAT, *_CHAT_PARAMETERS.values()):
            if option.key in context.catalog_model.options:
                raise ValidationException(
                    f"The option '{option.key}' of {where} is for {'embeddings' if is_chat else 'chat completions'}.", hint="leave it out"
                )
        names = _check_columns(context, is_chat)
        try:
            import httpx  # noqa: F401  # the error says what to install
        except ImportError as error:
            raise ValidationException(f"{where} needs the package httpx.", hint="pip install table-runtime[openai]") from error
        return OpenAIModelProvider(endpoint, config, names, where, is_chat=is_chat)


def _check_columns(context: ModelProviderFactory.Context, is_chat: bool) -> tuple[str, ...]:
    model, where = context.catalog_model, context.where
    inputs, outputs = model.input_schema.columns, model.output_schema.columns
    if len(inputs) != 1 or not isinstance(inputs[0].data_type, CharacterType):
        raise ValidationException(f"INPUT of {where} must be one column of type STRING: the text.")
    answers = [column for column in outputs if column.name not in _METADATA]
    expected = "STRING" if is_chat else "ARRAY<FLOAT>"
    is_right = len(answers) == 1 and (
        isinstance(answers[0].data_type, CharacterType)
        if is_chat
        else isinstance(answers[0].data_type, ArrayType) and isinstance(answers[0].data_type.element_type, FloatType)
    )
    if not is_right:
        raise ValidationException(
            f"OUTPUT of {where} must be one column of type {expected}, and optionally {', '.join(_METADATA)}.",
            hint="'endpoint' ends in '/chat/completions' for texts and in '/embeddings' for vectors",
        )
    for column in outputs:
        type_ = _METADATA.get(column.name)
        if type_ is not None and column.data_type != type_:
            raise ValidationException(
                f"The column '{column.name}' of {where} is {column.data_type.summary()}, but must be {type_.summary()}."
            )
    return tuple(column.name for column in outputs)


class OpenAIModelProvider(AsyncPredictRuntimeProvider):
    """What is sent to an endpoint, and what happens if it fails."""

    def __init__(self, endpoint: str, config: ReadableConfig, names: tuple[str, ...], where: str, *, is_chat: bool) -> None:
        self.endpoint = endpoint
        self.key = config.get_optional(_KEY)
        self.names = names
        self.where = where
        self.is_chat = is_chat
        self.strategy = config.get(_STRATEGY)
        self.retries = (config.get(_RETRIES) or 0) if self.strategy == "retry" else 0
        self.ignores = self.strategy == "ignore" or (self.strategy == "retry" and config.get(_FALLBACK) == "ignore")
        wait = config.get_optional(_BACKOFF)
        self.wait = 0.1 if wait is None else wait.total_seconds()
        self.batch_size = 1 if is_chat else (config.get_optional(_BATCH_SIZE) or 1)
        self.prompt = config.get(_PROMPT) or ""
        self.parameters: dict[str, Any] = {"model": config.get(_MODEL)}
        self.limit = context_limit(config, config.get(_MODEL) or "", where)
        if is_chat:
            for name, option in _CHAT_PARAMETERS.items():
                value = config.get_optional(option)
                if value is not None:
                    self.parameters[name] = value.split(",") if name == "stop" else value
            form = config.get_optional(_FORMAT)
            if form is not None:
                self.parameters["response_format"] = {"type": form}
        elif config.get_optional(_DIMENSION) is not None:
            self.parameters["dimensions"] = config.get(_DIMENSION)
        if self.retries < 0 or self.batch_size < 1:
            raise ValidationException(f"The option '{'retry-num' if self.retries < 0 else 'batch-size'}' of {where} is too small.")

    @override
    def create_async_predict_function(self) -> AsyncPredictFunction:
        return _Requests(self)

    def body(self, texts: Sequence[str]) -> dict[str, Any]:
        """Returns the request for texts: one for a chat, any number for embeddings."""
        if self.is_chat:
            messages = [{"role": "system", "content": self.prompt}, {"role": "user", "content": texts[0]}]
            return {**self.parameters, "messages": messages}
        return {**self.parameters, "input": list(texts)}

    def answers(self, document: Any, count: int) -> list[list[Any]]:
        """Returns the answers for each text of a response.

        Raises:
            ValueError: the response is not of the protocol.
        """
        try:
            if self.is_chat:
                texts = [choice["message"]["content"] for choice in document["choices"]]
                if not all(isinstance(text, str) for text in texts):
                    raise ValueError("an answer is no text")
                return [texts]
            vectors: list[Any] = [None] * count
            for number, entry in enumerate(document["data"]):
                vectors[entry.get("index", number)] = [float(value) for value in entry["embedding"]]
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise ValueError(f"it has no {'choices with messages' if self.is_chat else 'data with embeddings'} for {count} rows") from error
        if any(vector is None for vector in vectors):
            raise ValueError(f"it has fewer vectors than {count}")
        return [[vector] for vector in vectors]

    def hidden(self, text: str) -> str:
        """Returns a text of the endpoint for messages: short, and without the key."""
        text = " ".join(text.split())
        if self.key:
            text = text.replace(self.key, "***")
        return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


class _Failure(Exception):
    """A request that failed: the reason, and what the endpoint said."""

    def __init__(self, reason: str, *, again: bool, status: int | None = None, headers: Mapping[str, list[str]] | None = None) -> None:
        super().__init__(reason)
        self.reason, self.again, self.status, self.headers = reason, again, status, headers

    @property
    def wait(self) -> float | None:
        """The seconds that the endpoint asks to wait."""
        values = (self.headers or {}).get("retry-after", [])
        return float(values[0]) if values and values[0].isdigit() else None


class _Requests(AsyncPredictFunction):
    def __init__(self, provider: OpenAIModelProvider) -> None:
        self._provider = provider
        self._counting = provider.limit.counting() if provider.limit is not None else None
        self._make_client: Any = None
        self._url: Any = None
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "table-runtime"}
        self._clients: list[Any] = []
        self._idle: list[Any] = []
        self.batch_size = provider.batch_size

    @override
    async def open(self, context: FunctionContext) -> None:
        import httpx

        if self._provider.key:
            self._headers["Authorization"] = f"Bearer {self._provider.key}"
        self._url = httpx.URL(self._provider.endpoint)
        verify = httpx.create_ssl_context() if self._url.scheme == "https" else False  # making it costs more than a request
        self._make_client = functools.partial(httpx.AsyncHTTPTransport, verify=verify)

    @override
    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()

    @override
    async def predict(self, batch: Any) -> Predictions:
        provider = self._provider
        texts = batch.column(0).to_pylist()
        if self._counting is not None:
            texts = [None if text is None else self._counting.cut(text) for text in texts]
        sent = [text for text in texts if text is not None]
        rows: list[list[dict[str, Any]]] = []
        if sent:
            try:
                rows = [[{"": answer} for answer in answers] for answers in await self._ask(sent)]
            except _Failure as failure:
                rows = [self._ignored(failure)] * len(sent)
        given = iter(rows)
        lists = [[] if text is None else next(given) for text in texts]
        flat = [row for found in lists for row in found]
        columns = [pa.array([row.get(name if name in _METADATA else "") for row in flat], _arrow_type(name)) for name in provider.names]
        return Predictions(pa.RecordBatch.from_arrays(columns, names=list(provider.names)), [len(found) for found in lists])

    def _ignored(self, failure: _Failure) -> list[dict[str, Any]]:
        provider = self._provider
        message = f"{provider.where}: {failure.reason}"
        if not provider.ignores:
            raise TableRuntimeException(message, hint="'error-handling-strategy' = 'ignore' leaves such rows out") from None
        _LOG.warning("%s; its rows are left out", message)
        if not any(name in _METADATA for name in provider.names):
            return []
        headers = None if failure.headers is None else list(failure.headers.items())
        return [{"error-string": failure.reason, "http-status-code": failure.status, "http-headers-map": headers}]

    async def _ask(self, texts: Sequence[str]) -> list[list[Any]]:
        provider = self._provider
        for attempt in range(provider.retries + 1):
            try:
                return await self._request(texts)
            except _Failure as failure:
                if not failure.again or attempt == provider.retries:
                    if attempt:
                        failure.reason += f" (after {attempt + 1} attempts)"
                    raise
                backoff = min(provider.wait * 2 ** min(attempt, 30), _LONGEST_WAIT) * (0.5 + random.random() / 2)
                await asyncio.sleep(backoff if failure.wait is None else min(failure.wait, _LONGEST_WAIT))
        raise AssertionError

    async def _request(self, texts: Sequence[str]) -> list[list[Any]]:
        import httpx

        provider = self._provider
        # Each request has a connection alone: looking for a free one among many takes longer than the request.
        client = self._idle.pop() if self._idle else self._make_client()
        if client not in self._clients:
            self._clients.append(client)
        try:
            request = httpx.Request("POST", self._url, headers=self._headers, content=json.dumps(provider.body(texts)))
            response = await client.handle_async_request(request)
            await response.aread()
        except httpx.HTTPError as error:
            raise _Failure(provider.hidden(f"the endpoint cannot be reached: {type(error).__name__}: {error}"), again=True) from None
        finally:
            self._idle.append(client)
        headers: dict[str, list[str]] = {}
        for name, value in response.headers.multi_items():
            headers.setdefault(name.lower(), []).append(value)
        status = response.status_code
        if status != 200:
            reason = provider.hidden(f"the endpoint answered {status}: {response.text}")
            raise _Failure(reason, again=status in (408, 409, 429) or status >= 500, status=status, headers=headers)
        try:
            return provider.answers(json.loads(response.content), len(texts))
        except ValueError as error:
            reason = provider.hidden(f"the answer of the endpoint is not of its protocol: {error}. It is: {response.text}")
            raise _Failure(reason, again=False, status=status, headers=headers) from None


def _arrow_type(name: str) -> pa.DataType | None:
    known = {
        "error-string": pa.string(),
        "http-status-code": pa.int32(),
        "http-headers-map": pa.map_(pa.string(), pa.list_(pa.string())),
    }
    return known.get(name)
