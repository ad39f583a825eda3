"""Exercises of chapter 4: the size of scores, and what it does to weights and gradients."""
