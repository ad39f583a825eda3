"""Exercises of chapter 13: cheaper attention."""
