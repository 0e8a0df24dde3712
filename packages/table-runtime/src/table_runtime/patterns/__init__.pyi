from table_runtime.patterns.operator import MatchRecognize as MatchRecognize
from table_runtime.patterns.pattern import PatternSpec as PatternSpec
from table_runtime.patterns.recognizer import MatchRecognizer as MatchRecognizer
from table_runtime.patterns.recognizer import MatchState as MatchState
