"""What the checks see of a loop: its signals, tracks, metrics and movements together."""
