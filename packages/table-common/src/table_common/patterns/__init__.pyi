from table_common.patterns.regular_expressions import PatternCost as PatternCost
from table_common.patterns.regular_expressions import pattern_cost as pattern_cost
from table_common.patterns.sql_patterns import PatternError as PatternError
from table_common.patterns.sql_patterns import like_parts as like_parts
from table_common.patterns.sql_patterns import like_regex as like_regex
from table_common.patterns.sql_patterns import similar_regex as similar_regex
