"""The commands of `python -m instrumentgpt`: one module each, with add_arguments and run."""
