"""Registries of Avro schemas, as in Confluent's clients: schemas by ID, IDs by subject."""

from __future__ import annotations

import base64
import json
import threading
from abc import ABC, abstractmethod
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from table_common.annotation import override
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.gate import AllowedPath, AllowedUrl, Gate, current_gate

TIMEOUT_SECONDS = 30
_T = TypeVar("_T")


class SchemaRegistry(ABC):
    """A registry of schemas by ID."""

    @abstractmethod
    def schema(self, number: int) -> str:
        """Returns the text of a schema.

        Raises:
            TableRuntimeException: the schema does not exist, or the registry does not answer.
        """

    @abstractmethod
    def register(self, subject: str, schema: str) -> int:
        """Returns the ID of a schema under a subject; registers the schema if it is new."""


def open_registry(url: str, user_info: str | None = None) -> SchemaRegistry:
    """Returns the registry at a URL: ``http(s)://…``, or ``file://…`` for a folder of files ``<number>.avsc``.

    Raises:
        ValidationException: the URL is not supported.
    """
    parts = urlsplit(url)
    where = "The option 'avro-confluent.url'"
    if parts.scheme in ("http", "https") and parts.netloc:
        return HttpRegistry(current_gate().url(url.rstrip("/"), where), user_info)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return FolderRegistry(current_gate().path(url, where))
    raise ValidationException(
        f"The option 'avro-confluent.url' is not the URL of a schema registry: '{url}'.",
        hint="http://host:8081, or file:///folder with schemas in files <number>.avsc",
    )


class FolderRegistry(SchemaRegistry):
    """Schemas in files, for tests and for data without a registry."""

    def __init__(self, folder: AllowedPath) -> None:
        self._folder = folder

    @override
    def schema(self, number: int) -> str:
        try:
            return (self._folder / f"{number}.avsc").read_text()
        except OSError as error:
            raise TableRuntimeException(f"The schema {number} is not in the registry '{self._folder}': {error}.") from error

    @override
    def register(self, subject: str, schema: str) -> int:
        parsed_schema = json.loads(schema)
        self._folder.mkdir(parents=True, exist_ok=True)
        numbers = sorted(int(path.stem) for path in self._folder.glob("*.avsc") if path.stem.isdigit())
        for number in numbers:
            if json.loads(self.schema(number)) == parsed_schema:
                return number
        number = numbers[-1] + 1 if numbers else 1
        (self._folder / f"{number}.avsc").write_text(schema)
        return number


class _SameServer(HTTPRedirectHandler):
    """Follows a server to itself only: its answer could lead to any other, with the password."""

    @override
    def redirect_request(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str) -> Request | None:
        if urlsplit(newurl).hostname != urlsplit(req.full_url).hostname or urlsplit(newurl).scheme not in ("http", "https"):
            raise URLError(f"it refers to another server, '{newurl}'")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class HttpRegistry(SchemaRegistry):
    """A registry with Confluent's REST API; ``user_info`` is ``name:password``."""

    def __init__(self, url: AllowedUrl, user_info: str | None = None) -> None:
        self._url = url
        self._headers = {"Accept": "application/vnd.schemaregistry.v1+json", "Content-Type": "application/vnd.schemaregistry.v1+json"}
        if user_info is not None:
            self._headers["Authorization"] = "Basic " + base64.b64encode(user_info.encode()).decode()
        self._schemas: dict[int, str] = {}
        self._lock = threading.Lock()

    @override
    def schema(self, number: int) -> str:
        with self._lock:
            if number not in self._schemas:
                self._schemas[number] = self._call(f"/schemas/ids/{number}", None, "schema", str)
            return self._schemas[number]

    @override
    def register(self, subject: str, schema: str) -> int:
        return self._call(f"/subjects/{quote(subject, safe='')}/versions", {"schema": schema}, "id", int)

    def _open(self, url: AllowedUrl, data: bytes | None) -> Any:
        return build_opener(_SameServer()).open(Request(url, data, self._headers), timeout=TIMEOUT_SECONDS)

    def _call(self, path: str, body: object | None, key: str, type_: type[_T]) -> _T:
        """Returns the value of a key in the answer to a request."""
        data = None if body is None else json.dumps(body).encode()
        try:
            with self._open(Gate.derived_url(self._url + path), data) as response:
                answer: object = json.load(response)
        except HTTPError as error:
            with error:
                text = error.read(500).decode(errors="replace")
            raise TableRuntimeException(f"The schema registry {self._url} refused {path}: {error.code} {error.reason}: {text}") from error
        except (URLError, OSError, HTTPException, ValueError) as error:
            raise TableRuntimeException(
                f"The schema registry {self._url} does not answer: {error}.", hint="Check the option 'avro-confluent.url'."
            ) from error
        value = answer.get(key) if isinstance(answer, dict) else None
        if not isinstance(value, type_):
            raise TableRuntimeException(
                f"The schema registry {self._url} answered {path} without '{key}': {json.dumps(answer)[:500]}",
                hint="Check that the option 'avro-confluent.url' is the address of a schema registry.",
            )
        return value
