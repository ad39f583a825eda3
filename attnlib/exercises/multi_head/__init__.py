"""Exercises of chapter 6: split rows into heads, put the heads together, count, and take apart."""
