from table_runtime.udf.invocation import Invocation as Invocation
from table_runtime.udf.invoker import make_invoker as make_invoker
from table_runtime.udf.kernel import user_kernel as user_kernel
from table_runtime.udf.values import pickle_unknown_classes_with as pickle_unknown_classes_with
