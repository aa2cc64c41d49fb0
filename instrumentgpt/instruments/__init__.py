"""Instruments: devices, their logs, what the loops in them do, and what is wrong."""
