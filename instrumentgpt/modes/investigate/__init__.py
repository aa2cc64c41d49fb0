"""Investigate: a bigger job thought through, planned in steps, agreed to where it is large, carried out."""
