from table_api.execution.session import TableSession as TableSession
from table_api.execution.statements import execute_operation as execute_operation
from table_api.execution.statements import execute_statement as execute_statement
