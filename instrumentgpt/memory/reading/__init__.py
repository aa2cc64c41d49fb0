"""What people say plainly enough to be put on record without asking: values, constraints, labelled causes.

Everything else that people say is found again as words, by recall.
"""
