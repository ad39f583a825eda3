"""Exercises of chapter 3: scores that learn, the threshold of sparsemax, keys that can be found."""
