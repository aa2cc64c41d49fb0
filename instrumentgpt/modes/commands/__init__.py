"""`$commands`: what is done at once and by rules, in any mode, without asking an agent (docs/commands.md)."""
