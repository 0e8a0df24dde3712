from table_api.sql.conversion.statement import convert_statement as convert_statement
