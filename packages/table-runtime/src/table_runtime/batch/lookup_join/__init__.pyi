from table_runtime.batch.lookup_join.joiner import LookupJoiner as LookupJoiner
from table_runtime.batch.lookup_join.operator import LookupJoin as LookupJoin
from table_runtime.batch.lookup_join.spec import LookupLimits as LookupLimits
from table_runtime.batch.lookup_join.spec import LookupSpec as LookupSpec
from table_runtime.batch.lookup_join.spec import lookup_refusal as lookup_refusal
from table_runtime.batch.lookup_join.spec import lookup_settings as lookup_settings
from table_runtime.batch.lookup_join.spec import lookup_spec as lookup_spec
