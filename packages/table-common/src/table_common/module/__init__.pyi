from table_common.module.core_module import CoreModule as CoreModule
from table_common.module.core_module import CoreModuleFactory as CoreModuleFactory
from table_common.module.module import Module as Module
from table_common.module.module_factory import ModuleFactory as ModuleFactory
from table_common.module.standard_functions import standard_function as standard_function
