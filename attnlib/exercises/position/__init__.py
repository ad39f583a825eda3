"""Exercises of chapter 10: position."""
