"""InstrumentGPT: reads an instrument's logs, says what is wrong with its loops, and remembers."""
