"""Exercises of chapter 11: block."""
