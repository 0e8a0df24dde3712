"""Registries of schemas: a folder, and Confluent's REST interface as a server on this machine speaks it."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException, ValidationException
from table_runtime.formats.avro.schema_registry import FolderRegistry, HttpRegistry, open_registry

Answer = tuple[int, bytes]
Requests = list[tuple[str, str, Any, str | None]]


class Server:
    """Answers each request by ``answer`` and keeps it in ``requests``: method, path, body, credentials."""

    def __init__(self) -> None:
        self.requests: Requests = []
        self.answer: Callable[[str], Answer] = lambda path: (404, b"")
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append((self.command, self.path, json.loads(body) if body else None, self.headers.get("Authorization")))
                status, data = server.answer(self.path)
                if status == 0:  # no answer at all
                    self.close_connection = True
                    return
                self.send_response(status)
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET  # the name that the class asks for

            def log_message(self, format: str, *args: Any) -> None:
                """Is silent."""

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def test_a_schema_is_asked_for_once(server: Server) -> None:
    server.answer = lambda path: (200, b'{"schema": "\\"long\\""}')
    registry = HttpRegistry(server.url)
    assert [registry.schema(7), registry.schema(7)] == ['"long"', '"long"']
    assert server.requests == [("GET", "/schemas/ids/7", None, None)]


def test_a_schema_is_registered_under_its_subject_with_the_credentials(server: Server) -> None:
    server.answer = lambda path: (200, b'{"id": 5}')
    registry = open_registry(server.url + "/", "name:word")
    assert registry.register("a/b c-value", '"long"') == 5
    credentials = "Basic " + base64.b64encode(b"name:word").decode()
    assert server.requests == [("POST", "/subjects/a%2Fb%20c-value/versions", {"schema": '"long"'}, credentials)]


def test_a_refusal_is_told_with_the_answer_of_the_registry(server: Server) -> None:
    server.answer = lambda path: (404, b'{"error_code":40403,"message":"Schema not found"}')
    with pytest.raises(TableRuntimeException, match=rf"registry {server.url} refused /schemas/ids/9: 404 Not Found: .*Schema not found"):
        HttpRegistry(server.url).schema(9)


@pytest.mark.parametrize("answer", [b"{}", b"[]", b'"x"', b"null", b'{"schema": 7, "id": "x"}'])
def test_an_answer_without_what_was_asked_for_is_an_error(server: Server, answer: bytes) -> None:
    server.answer = lambda path: (200, answer)
    with pytest.raises(TableRuntimeException, match="answered /schemas/ids/9 without 'schema': "):
        HttpRegistry(server.url).schema(9)
    with pytest.raises(TableRuntimeException, match="answered /subjects/s/versions without 'id': "):
        HttpRegistry(server.url).register("s", '"long"')


@pytest.mark.parametrize(("status", "data"), [(200, b"<html>"), (0, b""), (200, b"\xff")])
def test_an_answer_that_is_none_is_an_error_with_a_hint(server: Server, status: int, data: bytes) -> None:
    server.answer = lambda path: (status, data)
    with pytest.raises(TableRuntimeException, match=f"The schema registry {server.url} does not answer: ") as failure:
        HttpRegistry(server.url).schema(9)
    assert failure.value.hint == "Check the option 'avro-confluent.url'."


def test_an_error_is_not_remembered(server: Server) -> None:
    registry = HttpRegistry(server.url)
    with pytest.raises(TableRuntimeException):
        registry.schema(1)
    server.answer = lambda path: (200, b'{"schema": "\\"int\\""}')
    assert registry.schema(1) == '"int"'


def test_a_folder_gives_equal_schemas_one_number(tmp_path: Path) -> None:
    registry = FolderRegistry(tmp_path / "schemas")
    assert registry.register("a", '{"type": "long"}') == 1
    assert registry.register("b", '"int"') == 2
    assert registry.register("c", '{ "type":"long" }') == 1
    assert FolderRegistry(tmp_path / "schemas").schema(2) == '"int"'


def test_numbers_in_a_folder_go_on_behind_the_highest(tmp_path: Path) -> None:
    (tmp_path / "10.avsc").write_text('"int"')
    (tmp_path / "x.avsc").write_text("no schema")
    assert FolderRegistry(tmp_path).register("a", '"long"') == 11


def test_a_schema_that_is_not_in_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableRuntimeException, match=rf"The schema 3 is not in the registry '{tmp_path}'"):
        FolderRegistry(tmp_path).schema(3)


def test_a_url_names_a_folder_or_a_server(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "1.avsc").write_text('"int"')
    assert open_registry(folder.as_uri()).schema(1) == '"int"'
    assert isinstance(open_registry("https://host"), HttpRegistry)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "file://host/x", "x", ""])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(ValidationException, match=r"'avro-confluent\.url' is not the URL of a schema registry"):
        open_registry(url)
