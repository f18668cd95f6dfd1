"""Slow transcriptions of the rule books, used only to check the kernels."""
