"""Exercises of chapter 8: masks."""
