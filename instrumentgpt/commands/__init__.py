"""The commands of `python -m instrumentgpt`: one module each, with HELP, add_arguments and run."""
