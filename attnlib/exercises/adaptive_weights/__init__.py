"""Exercises of chapter 1: fixed weights, and weights that depend on the data."""
