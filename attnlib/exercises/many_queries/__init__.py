"""Exercises of chapter 5: all queries at once, one for each sequence, scores that hide a slip."""
