"""Exercises of chapter 14: on a gpu."""
