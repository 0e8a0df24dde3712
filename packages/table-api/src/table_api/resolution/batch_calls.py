"""How the function of ML_PREDICT or VECTOR_SEARCH is called: one batch after the other, or many requests at once."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import (
    AsyncPredictRuntimeProvider,
    AsyncPredictTableFunction,
    PredictCall,
    PredictRuntimeProvider,
    PredictTableFunction,
    VectorSearchCall,
)
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

ASYNC = (
    ConfigOptions.key("async")
    .boolean_type()
    .no_default_value()
    .with_description("Whether many requests run at once; by default if the provider can.")
)
OPERATIONS = (
    ConfigOptions.key("max-concurrent-operations")
    .int_type()
    .no_default_value()
    .with_description("The maximal number of requests that run at once.")
)
TIMEOUT = (
    ConfigOptions.key("timeout").duration_type().no_default_value().with_description("The time limit of a request with all its attempts.")
)
OUTPUT_MODE = (
    ConfigOptions.key("output-mode")
    .enum_type("ORDERED", "ALLOW_UNORDERED")
    .no_default_value()
    .with_description("Whether rows have to stay in their order. They always do.")
)
BatchFunction: TypeAlias = PredictTableFunction | AsyncPredictTableFunction
REQUEST_OPTIONS = (ASYNC, OPERATIONS, TIMEOUT, OUTPUT_MODE)


@dataclass(frozen=True, slots=True)
class BatchCaller:
    """Makes the function of a call: ``where`` and ``who`` name the call and its provider in messages; ``what`` is what it is for."""

    where: str
    who: str
    what: str
    configuration: ReadableConfig
    default_operations: ConfigOption[int]
    default_timeout: ConfigOption[timedelta]

    def function(
        self,
        call: PredictCall | VectorSearchCall,
        options: ReadableConfig,
        synchronous: PredictRuntimeProvider | None,
        asynchronous: AsyncPredictRuntimeProvider | None,
    ) -> BatchFunction:
        """Returns the function: an asynchronous one if the provider can, unless the option ``async`` says otherwise.

        Raises:
            ValidationException: the provider cannot do what is asked for, or an option has no effect or a wrong value.
        """
        wants = options.get_optional(ASYNC)
        if asynchronous is not None and wants is not False:
            operations = options.get_optional(OPERATIONS)
            if operations is None:
                operations = self.configuration.get(self.default_operations)
            timeout = options.get_optional(TIMEOUT)
            if timeout is None:
                timeout = self.configuration.get(self.default_timeout)
            if operations < 1:
                raise ValidationException(f"{self.where}: 'max-concurrent-operations' is {operations}, but must be at least 1.")
            if timeout.total_seconds() <= 0:
                raise ValidationException(f"{self.where}: 'timeout' must be longer than 0.")
            return AsyncPredictTableFunction(call, asynchronous, operations, timeout)
        if wants:
            raise ValidationException(
                f"{self.where} asks for asynchronous requests, but {self.who} cannot make them for this {self.what}.",
                hint="leave 'async' out, or set it to 'false'",
            )
        useless = [key for key in (OPERATIONS.key, TIMEOUT.key, OUTPUT_MODE.key) if dict(call.config).get(key) is not None]
        if useless:
            raise ValidationException(
                f"{self.where}: '{useless[0]}' is for asynchronous requests, but these are synchronous.", hint="leave the option out"
            )
        if synchronous is not None:
            return PredictTableFunction(call, synchronous)
        raise ValidationException(
            f"{self.where} asks for synchronous requests, but {self.who} makes only asynchronous ones for this {self.what}.",
            hint="leave 'async' out, or set it to 'true'",
        )
