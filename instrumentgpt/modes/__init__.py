"""Chat modes: how a turn asks its agent. A mode is a generator of events."""
