"""Reading a log: from bytes to lines, times, columns and frames. `logs.read_log` is the way in."""
