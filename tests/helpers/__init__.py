"""What tests share, imported as `tests.helpers.…` from everywhere."""
