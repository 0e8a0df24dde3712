"""A server of S3 in this process, with a bucket for each test."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def server() -> Iterator[None]:
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "hidden-word")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield
    running.stop()


@pytest.fixture(scope="session")
def store(server: None) -> Any:
    import fsspec

    return fsspec.filesystem("s3", use_listings_cache=False)


@pytest.fixture
def bucket(store: Any) -> str:
    """Returns the URL of a new bucket."""
    name = f"bucket-{uuid.uuid4().hex[:12]}"
    store.mkdir(name)
    return f"s3://{name}"
