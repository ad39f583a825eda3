"""What the book asks of its notebooks: one function a rule, with its reason and its remedy.

`cells` and `prose` hold the rules of every notebook, `chapters` those of chapters, `exercises`
those of their exercises.  A chapter opts out of a rule by naming it in its metadata, with the
reason:

    "attention_book": {"except": {"enough_exercises": "This chapter is a survey of a field."}}
"""

from rules import cells, chapters, exercises, prose  # noqa: F401  (they register their rules)
from rules.registry import RULES, problems

__all__ = ["RULES", "problems"]
