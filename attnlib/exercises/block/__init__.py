"""Exercises of chapter 11: norm, block, its size, dropout, a unit that sorts."""
