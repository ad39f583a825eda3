"""Exercises of chapter 9: back through softmax, to queries and key matrices, and broadcasting."""
