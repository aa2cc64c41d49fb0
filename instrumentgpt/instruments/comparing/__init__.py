"""Behind compare.py: what changed in each channel, and in the event lines."""
