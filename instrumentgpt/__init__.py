"""InstrumentGPT: reads an instrument's logs, says what is wrong with its loops, and remembers."""

__version__ = "0.4.0"
