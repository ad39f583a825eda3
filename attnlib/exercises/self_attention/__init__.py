"""Exercises of chapter 7: one source and two, orders of the rows, a row less, who looks at whom."""
