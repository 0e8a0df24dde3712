"""The provider ``openai``: what is sent, and how answers are read. tests/integration/test_openai_models.py has requests."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedSchema
from table_common.factories import ModelProviderFactory
from table_common.types import parse_logical_type
from table_runtime.connectors.openai import OpenAIModelProvider, OpenAIModelProviderFactory


def provider(output: str, path: str, **options: str) -> OpenAIModelProvider:
    schemas = [ResolvedSchema.physical([(name, parse_logical_type(type_))]) for name, type_ in (("t", "STRING"), ("x", output))]
    given = {"provider": "openai", "model": "m", "endpoint": f"http://localhost/v1/{path}", **options}
    context = ModelProviderFactory.Context(ObjectIdentifier("c", "d", "m"), CatalogModel(schemas[0], schemas[1], given))
    return OpenAIModelProviderFactory().create_model_provider(context)


def test_a_chat_has_two_messages() -> None:
    found = provider("STRING", "chat/completions", seed="3")
    messages = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": "hi"}]
    assert found.body(["hi"]) == {"model": "m", "seed": 3, "messages": messages}
    assert found.answers({"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}, 1) == [["a", "b"]]


def test_vectors_are_in_the_order_of_their_indexes() -> None:
    found = provider("ARRAY<FLOAT>", "embeddings", dimension="1")
    assert found.body(["a", "b"]) == {"model": "m", "dimensions": 1, "input": ["a", "b"]}
    data = [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]
    assert found.answers({"data": data}, 2) == [[[1.0]], [[2.0]]]


@pytest.mark.parametrize("document", [None, [], {}, {"data": [{}]}, {"data": []}, {"data": [{"index": 7, "embedding": [1]}]}])
def test_other_documents_are_errors(document: Any) -> None:
    with pytest.raises(ValueError, match=r"it has (no data with embeddings for|fewer vectors than) 1"):
        provider("ARRAY<FLOAT>", "embeddings").answers(document, 1)


def test_texts_of_messages_are_short_and_without_the_key() -> None:
    found = provider("STRING", "chat/completions", **{"api-key": "k-4711"})
    assert found.hidden("a\n k-4711") == "a ***"
    assert len(found.hidden("x" * 1000)) == 301
