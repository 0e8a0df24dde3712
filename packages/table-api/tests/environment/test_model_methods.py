"""Methods of the environment about models, and model descriptors."""

from __future__ import annotations

import pytest

from table_api import CatalogException, DataTypes, ModelDescriptor, Schema, TableEnvironment

TEXT = Schema.new_builder().column("text", DataTypes.STRING()).build()
DESCRIPTOR = ModelDescriptor.for_provider("openai").input_schema(TEXT).output_schema(TEXT).option("retries", 3).comment("a model").build()


def test_a_builder_collects_the_parts_of_a_model() -> None:
    assert (DESCRIPTOR.provider, DESCRIPTOR.options, DESCRIPTOR.comment) == ("openai", {"retries": "3"}, "a model")
    assert DESCRIPTOR.input_schema == DESCRIPTOR.output_schema == TEXT


def test_a_model_of_a_catalog_is_created_once(env: TableEnvironment) -> None:
    env.create_model("m", DESCRIPTOR)
    env.create_model("m", DESCRIPTOR, ignore_if_exists=True)
    with pytest.raises(CatalogException, match="exists already"):
        env.create_model("m", DESCRIPTOR)


def test_temporary_models_are_listed_with_and_apart_from_those_of_the_catalog(env: TableEnvironment) -> None:
    env.create_model("stored", DESCRIPTOR)
    env.create_temporary_model("mine", DESCRIPTOR)
    assert (env.list_models(), env.list_temporary_models()) == (["mine", "stored"], ["mine"])


def test_drop_says_whether_the_model_existed(env: TableEnvironment) -> None:
    env.create_model("m", DESCRIPTOR)
    assert [env.drop_model("m"), env.drop_model("m"), env.drop_temporary_model("m")] == [True, False, False]


def test_a_missing_model_is_an_error_if_it_is_not_ignored(env: TableEnvironment) -> None:
    with pytest.raises(CatalogException, match="does not exist"):
        env.drop_model("m", ignore_if_not_exists=False)
