"""Hash functions: digests as hexadecimal text, and hash codes of Java."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import hash as fn
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.kernels.kernel import Kernel, infallible
from table_runtime.kernels.support import java_hash
from table_runtime.kernels.support.rowwise import apply_rows


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _digest(algorithm: Callable[[bytes], Any]) -> Kernel:
    def run(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
        return apply_rows(lambda value: algorithm(_bytes(value)).hexdigest(), args, pa.string(), num_rows)

    return infallible(run)


def _sha2(value: str | bytes, length: int) -> str | None:
    algorithm = {224: hashlib.sha224, 256: hashlib.sha256, 384: hashlib.sha384, 512: hashlib.sha512}.get(length)
    return None if algorithm is None else algorithm(_bytes(value)).hexdigest()


def _hash_code(args: Sequence[Any], call: CallExpression, context: EvaluationContext, num_rows: int) -> Any:
    # Differs from Flink: the hash code of a constant text such as '-0.0' that is cast to DOUBLE or FLOAT is that of -0.0, as of a column's; Flink's planner makes 0.0 of such a constant.
    values, hash_code = java_hash.hashed(args[0], call.args[0].output_type)
    return apply_rows(hash_code, [values], pa.int32(), num_rows)


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.HASH_CODE: infallible(_hash_code),
    fn.MD5: _digest(lambda data: hashlib.md5(data, usedforsecurity=False)),
    fn.SHA1: _digest(lambda data: hashlib.sha1(data, usedforsecurity=False)),
    fn.SHA224: _digest(hashlib.sha224),
    fn.SHA256: _digest(hashlib.sha256),
    fn.SHA384: _digest(hashlib.sha384),
    fn.SHA512: _digest(hashlib.sha512),
    fn.SHA2: infallible(lambda args, call, context, num_rows: apply_rows(_sha2, args, pa.string(), num_rows)),
}
