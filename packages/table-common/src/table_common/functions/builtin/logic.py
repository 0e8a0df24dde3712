"""Three-valued logic: true, false, and unknown as NULL."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BOOLEAN, infix, operator, postfix, prefix, returns
from table_common.inference.input_strategies import sig, varargs
from table_common.inference.type_strategies import explicit
from table_common.types.logical import BooleanType

_TRUTH = returns(BooleanType())
_SURE = explicit(BooleanType(nullable=False))

AND = operator("AND", varargs(repeated=BOOLEAN, at_least=2), _TRUTH, infix("AND"))
OR = operator("OR", varargs(repeated=BOOLEAN, at_least=2), _TRUTH, infix("OR"))
NOT = operator("NOT", sig(BOOLEAN), _TRUTH, prefix("NOT"))
IS_TRUE = operator("IS_TRUE", sig(BOOLEAN), _SURE, postfix("IS TRUE"))
IS_FALSE = operator("IS_FALSE", sig(BOOLEAN), _SURE, postfix("IS FALSE"))
IS_NOT_TRUE = operator("IS_NOT_TRUE", sig(BOOLEAN), _SURE, postfix("IS NOT TRUE"))
IS_NOT_FALSE = operator("IS_NOT_FALSE", sig(BOOLEAN), _SURE, postfix("IS NOT FALSE"))
