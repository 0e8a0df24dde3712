from table_api.sql.parser import expected_tokens as expected_tokens
from table_api.sql.parser import parse_expression as parse_expression
from table_api.sql.parser import parse_script as parse_script
from table_api.sql.parser import parse_statement as parse_statement
from table_api.sql.parser import split_statements as split_statements
from table_api.sql.string_completion import open_string as open_string
