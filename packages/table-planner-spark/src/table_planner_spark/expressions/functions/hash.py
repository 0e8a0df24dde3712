"""Digests, as lower-case hexadecimal text."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import hash as fn
from table_planner_spark.expressions.functions.translation import Translation, template
from table_planner_spark.expressions.worker_kernels import through_kernel

FUNCTIONS: dict[FunctionDefinition, Translation] = {
    fn.HASH_CODE: through_kernel,
    fn.MD5: template("md5(CAST({0} AS BINARY))"),
    fn.SHA1: template("sha1(CAST({0} AS BINARY))"),
    fn.SHA224: template("sha2(CAST({0} AS BINARY), 224)"),
    fn.SHA256: template("sha2(CAST({0} AS BINARY), 256)"),
    fn.SHA384: template("sha2(CAST({0} AS BINARY), 384)"),
    fn.SHA512: template("sha2(CAST({0} AS BINARY), 512)"),
    fn.SHA2: template("if({1} = 0, NULL, sha2({0}, {1}))"),
}
