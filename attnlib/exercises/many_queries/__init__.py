"""Exercises of chapter 5: all queries at once, one query for each item, scores that hide a slip."""
