"""Exercises of chapter 2: look up softly, make scores into weights, aim a query."""
