"""The commands of `python -m instrumentgpt`: what they take in arguments, and one module each with run."""
