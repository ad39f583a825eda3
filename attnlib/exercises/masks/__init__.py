"""Exercises of chapter 8: a causal mask, masked weights, padding, a cache, a search for leaks."""
