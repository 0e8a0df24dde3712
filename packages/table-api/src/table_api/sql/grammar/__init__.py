"""The grammar: a tokenizer and recursive descent with precedence climbing, one file per part; ``sql.parser`` is the way in.

Each file adds its rules to one chain of classes (``TokenStream`` › types › literals › expressions › … › ``Grammar``), so that rules call
each other as methods and the state of a parse is one object.
"""
