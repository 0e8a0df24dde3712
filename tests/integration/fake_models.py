"""A local endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any], int], tuple[int, Any, dict[str, str]]]


class Endpoint:
    """What was asked, and how the endpoint answers: ``answer(body, number of the request)``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.running = self.most = 0
        self.seconds = 0.0
        self.answer: Answer = right
        self.lock = threading.Lock()


def right(body: dict[str, Any], number: int) -> tuple[int, Any, dict[str, str]]:
    """The answer of a chat is the text in upper case; a vector has the length of the text and its position."""
    if "messages" in body:
        text = body["messages"][-1]["content"].upper()
        return 200, {"choices": [{"message": {"role": "assistant", "content": text}} for _ in range(body.get("n", 1))]}, {}
    return 200, {"data": [{"index": i, "embedding": [float(len(text)), 0.5]} for i, text in enumerate(body["input"])]}, {}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """Runs an endpoint in a thread."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.requests.append(body)
                state.keys.append(self.headers.get("Authorization"))
                number = len(state.requests)
                state.running += 1
                state.most = max(state.most, state.running)
            time.sleep(state.seconds)
            with state.lock:
                state.running -= 1
            status, document, headers = state.answer(body, number)
            data = document.encode() if isinstance(document, str) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # the client no longer waits
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = _Server(("127.0.0.1", 0), Handler)
    state = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
