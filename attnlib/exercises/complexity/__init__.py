"""Exercises of chapter 12: complexity."""
